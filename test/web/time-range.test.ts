import { expect, test } from "bun:test";
import { PANEL_RANGES } from "../../src/store/dashboards.ts";
import { daysOf, momentsOf, RANGE_LABELS, type Range, readTimeSearch } from "../../src/web/parts/time-range.ts";

const local = (text: string) => new Date(text).toISOString();

test.each([
  ["2026-11-29T00:00", "today", "2026-11-29T00:00", undefined, "Nov 29"],
  ["2026-12-01T08:00", "yesterday", "2026-11-30T00:00", "2026-12-01T00:00", "Nov 30"],
  ["2026-11-29T23:59", "this-week", "2026-11-23T00:00", undefined, "Nov 23 – 29"],
  ["2026-11-30T00:00", "this-week", "2026-11-30T00:00", undefined, "Nov 30"],
  ["2026-11-30T00:00", "last-week", "2026-11-23T00:00", "2026-11-30T00:00", "Nov 23 – 29"],
  ["2026-12-02T08:00", "last-week", "2026-11-23T00:00", "2026-11-30T00:00", "Nov 23 – 29"],
  ["2026-12-02T08:00", "this-week", "2026-11-30T00:00", undefined, "Nov 30 – Dec 2"],
  ["2026-12-31T23:59", "this-month", "2026-12-01T00:00", undefined, "Dec 1 – 31"],
  ["2027-01-01T00:00", "last-month", "2026-12-01T00:00", "2027-01-01T00:00", "Dec 1 – 31"],
  ["2027-03-31T10:00", "last-month", "2027-02-01T00:00", "2027-03-01T00:00", "Feb 1 – 28"],
] as const)("at %s, %s is from %s to %p, shown as %s", (now, range, from, to, days) => {
  const at = Date.parse(now);
  expect(momentsOf({ range }, "all", at)).toEqual({ from: local(from), to: to && local(to) });
  expect(daysOf(range, at)?.replaceAll(/\s/g, " ")).toBe(days);
});

test("other ranges have no days, and end now", () => {
  expect(daysOf("7d")).toBeUndefined();
  expect(momentsOf({ range: "1h" }, "all", Date.parse("2026-11-29T12:00:04Z"))).toEqual({
    ...{ from: "2026-11-29T11:00:00.000Z", to: undefined },
  });
});

test("every range of dashboards has a label, and an address keeps it", () => {
  expect(Object.keys(RANGE_LABELS).toSorted()).toEqual([...PANEL_RANGES].toSorted());
  for (const range of PANEL_RANGES) expect(readTimeSearch({ range })).toEqual({ range: range as Range });
  expect(readTimeSearch({ range: "toString" })).toEqual({});
});
