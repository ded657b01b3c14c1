import { expect, test } from "bun:test";
import { nextSegment } from "../../src/spool/segments.ts";

test.each([
  ["nothing is there", [], 1_000, 1_000],
  ["the clock is ahead", [5, 900], 1_000, 1_000],
  ["a segment was begun in this very millisecond", [1_000, 0], 1_000, 1_001],
  ["the clock was set back", [5_000, 7_000, 0], 1_000, 7_001],
])("a new segment is above every other when %s", (_when, existing, now, expected) => {
  expect(nextSegment(existing, now)).toBe(expected);
});
