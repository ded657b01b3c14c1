import { expect, test } from "bun:test";
import { formatBytes, formatDuration, formatMoney } from "../../src/web/parts/format.ts";

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
  [0.5, "0.50 ms"],
  [999.4, "999 ms"],
  [1_234, "1.23 s"],
  [59_900, "59.9 s"],
  [61_000, "1 min 1 s"],
  [3_720_000, "1 h 2 min"],
])("%p ms are written %s", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1_500, "1.5 kB"],
  [25_000_000, "25 MB"],
])("%p bytes are written %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
