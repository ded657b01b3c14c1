import { expect, test } from "bun:test";
import fc from "fast-check";
import { BUCKET_MS, bucketOf, bucketTimes, spanBefore, spanOf } from "../../src/web/metrics/range.ts";
import { align, change, layers, type MetricsRow, share, stacked, topGroups } from "../../src/web/metrics/series.ts";
import { assertProperty } from "../chance.ts";
import { metricsRow } from "./metrics-row.ts";

const NOW = Date.UTC(2026, 5, 15, 12, 34, 56);

test.each([
  [{ from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z" }, [Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 2)]],
  [{ from: "2026-01-01T00:00:00Z", to: undefined }, [Date.UTC(2026, 0, 1), NOW]],
  [{ from: undefined, to: undefined }, [7, NOW]],
  [{ from: "2026-01-02T00:00:00Z", to: "2026-01-01T00:00:00Z" }, [Date.UTC(2026, 0, 1) - 1, Date.UTC(2026, 0, 1)]],
])("moments %p are the span %p", (moments, [from, to]) => {
  expect(spanOf(moments, 7, NOW)).toEqual({ from: from!, to: to! });
});

const DAY = 86_400_000;
test.each([
  [DAY / 24, "minute"],
  [DAY / 4, "5m"],
  [DAY, "hour"],
  [7 * DAY, "6h"],
  [30 * DAY, "day"],
  [90 * DAY, "day"],
] as const)("a span of %d ms is shown by the %s", (length, bucket) => {
  expect(bucketOf({ from: NOW - length, to: NOW })).toBe(bucket);
});

test("buckets cover their span without a gap, whatever it is", () => {
  const ends = fc.tuple(fc.integer({ min: -1e12, max: 2e12 }), fc.integer({ min: 1, max: 90 * 86_400_000 }));
  assertProperty(
    fc.property(ends, ([from, length]) => {
      const span = { from, to: from + length };
      const bucket = bucketOf(span);
      const times = bucketTimes(span, bucket);
      expect(times.length).toBeGreaterThan(0);
      expect(times.length).toBeLessThanOrEqual(102);
      expect(times.every((time) => time % BUCKET_MS[bucket] === 0)).toBe(true);
      expect(times[0]!).toBeLessThanOrEqual(span.from);
      expect(times[0]! + BUCKET_MS[bucket]).toBeGreaterThan(span.from);
      expect(times.at(-1)!).toBeLessThan(span.to);
      expect(times.at(-1)! + BUCKET_MS[bucket]).toBeGreaterThanOrEqual(span.to);
    }),
  );
});

test("the span before is as long and ends where this one begins", () => {
  expect(spanBefore({ from: 100, to: 130 })).toEqual({ from: 70, to: 100 });
});

const cost = ({ cost }: MetricsRow) => cost;
const TIMES = [0, 60_000, 120_000];

test("rows stand in the place of their bucket, and gaps are distinct from zero", () => {
  const rows = [metricsRow(120_000, { latency_p50: 7 }), metricsRow(0, { latency_p50: null })];
  expect(align(TIMES, rows, ({ latency_p50 }) => latency_p50, null)).toEqual([null, null, 7]);
  expect(align(TIMES, [metricsRow(60_000, { cost: 2 })], cost, 0)).toEqual([0, 2, 0]);
});

test("layers are the requested groups and the rest of the whole", () => {
  const whole = [metricsRow(0, { cost: 10 }), metricsRow(60_000, { cost: 0.3 })];
  const rows = [
    metricsRow(0, { cost: 4, user: "a" }),
    metricsRow(0, { cost: 1, user: null }),
    metricsRow(60_000, { cost: 0.1 + 0.2, user: "a" }),
  ];
  const split = { key: "user", groups: [{ value: "a" }, { value: null }], rows };
  const found = layers(TIMES, whole, split, { measure: cost, nameOf: ({ value }) => String(value) });
  expect(found.map(({ name, values }) => [name, values])).toEqual([
    ["a", [4, 0.1 + 0.2, 0]],
    ["null", [1, 0, 0]],
    ["Other", [5, 0, 0]],
  ]);
  expect(stacked(found).at(-1)).toEqual([10, 0.1 + 0.2, 0]);
});

test("there is no rest where the groups are the whole", () => {
  const rows = [metricsRow(0, { cost: 4, model: "m" })];
  const split = { key: "model", groups: [{ value: "m" }], rows };
  expect(layers(TIMES, rows, split, { measure: cost, nameOf: () => "m" })).toHaveLength(1);
});

test("the groups shown are those that matter most, ties by requests", () => {
  const rows = Array.from({ length: 12 }, (_, at) =>
    metricsRow(0, { model: `m${at}`, cost: at === 3 ? 9 : null, requests: at }),
  );
  expect(topGroups(rows, "model", cost).map(({ value }) => value)).toEqual([
    "m3",
    "m11",
    "m10",
    "m9",
    "m8",
    "m7",
    "m6",
  ]);
});

test("shares and changes of nothing are not known", () => {
  expect([share(1, 4), share(1, 0), share(null, 4), change(3, 2), change(3, 0), change(null, 1)]).toEqual([
    0.25,
    null,
    null,
    0.5,
    null,
    null,
  ]);
});
