import { expect, test } from "bun:test";
import fc from "fast-check";
import { windowsOf } from "../../../src/engine/clickhouse/windows.ts";
import { assertProperty } from "../../chance.ts";

const NOW = Date.UTC(2026, 5, 1);
const EVER = Number.MAX_SAFE_INTEGER;

test("windows of time hold every moment once, in the order in which records are wanted", async () => {
  const near = fc.integer({ min: NOW - 40 * 86_400_000, max: NOW + 86_400_000 });
  const times = fc.tuple(fc.oneof(near, fc.constant(-EVER)), fc.oneof(near, fc.constant(EVER)));
  await assertProperty(
    fc.property(fc.constantFrom<"asc" | "desc">("asc", "desc"), times, (direction, [one, other]) => {
      const [least, most] = [Math.min(one, other), Math.max(one, other)];
      const windows = windowsOf(direction, { least, most }, NOW);
      const ascending = direction === "asc" ? windows : windows.toReversed();
      expect(ascending[0]!.least).toBe(least);
      expect(ascending.at(-1)!.most).toBe(most);
      for (const [index, { least: from, most: to }] of ascending.entries()) {
        expect(from).toBeLessThanOrEqual(to);
        if (index > 0) expect(from).toBe(ascending[index - 1]!.most + 1);
      }
      expect(windows.length).toBeLessThanOrEqual(4);
    }),
  );
});

test("the newest records are looked for in the last hour first, and with them those of a clock that is ahead", () => {
  const [first, second] = windowsOf("desc", { least: -EVER, most: EVER }, NOW);
  expect(first).toEqual({ least: NOW - 3_600_000, most: EVER });
  expect(second).toEqual({ least: NOW - 86_400_000, most: NOW - 3_600_001 });
});
