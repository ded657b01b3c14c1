import { expect, test } from "bun:test";
import { formatPercent } from "../../src/web/metrics/format.ts";
import { formatBytes, formatCounted, formatDuration, formatMoney, formatTime } from "../../src/web/parts/format.ts";

test.each([
  [null, "–"],
  [0, "$0"],
  [12.345, "$12.35"],
  [0.01234567, "$0.01235"],
  [0.000015449, "$0.000015"],
  [0.00000000123, "$0.0000000012"],
  [-2, "-$2.00"],
])("%p dollars are written %s", (dollars, text) => {
  expect(formatMoney(dollars)).toBe(text);
});

test.each([
  [null, "–"],
  [0, "0 ms"],
  [0.5, "0.50 ms"],
  [0.999, "1 ms"],
  [999.4, "999 ms"],
  [999.6, "1.00 s"],
  [1_234, "1.23 s"],
  [9_999, "10.0 s"],
  [59_900, "59.9 s"],
  [59_990, "1 min 0 s"],
  [61_000, "1 min 1 s"],
  [3_599_900, "1 h 0 min"],
  [3_720_000, "1 h 2 min"],
  [266_400_000, "3 d 2 h"],
])("%p ms are written %s", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1_500, "1.5 kB"],
  [9_960, "10 kB"],
  [999_960, "1.0 MB"],
  [25_000_000, "25 MB"],
])("%p bytes are written %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test.each([
  [null, "–"],
  [0, "0%"],
  [0.0003, "<0.1%"],
  [0.1234, "12.3%"],
  [0.9999, ">99.9%"],
  [1, "100%"],
  [2.345, "235%"],
])("a share of %p is written %s", (part, text) => {
  expect(formatPercent(part)).toBe(text);
});

test("a time of another year says which", () => {
  const now = new Date("2026-06-01T00:00:00Z");
  expect(formatTime("2026-05-01T00:00:01Z", now)).not.toContain("2026");
  expect(formatTime("2024-05-01T00:00:01Z", now)).toContain("2024");
});

test.each([
  [0, "0 requests"],
  [1, "1 request"],
  [2_000, "2,000 requests"],
])("%p is counted as %s", (count, text) => {
  expect(formatCounted(count, "request")).toBe(text);
});
