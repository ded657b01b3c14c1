import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Times } from "../../../src/engine/clickhouse/records.ts";
import { Windows } from "../../../src/engine/clickhouse/windows.ts";
import { assertProperty } from "../../chance.ts";

const NOW = Date.UTC(2026, 5, 1);
const EVER = Number.MAX_SAFE_INTEGER;
const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];

/** All windows, when this share of the wanted rows is known after each. */
function windowsOf(direction: "asc" | "desc", times: Times, shares: (index: number) => number): Times[] {
  const windows = new Windows(direction, times, NOW);
  const all: Times[] = [];
  for (let next = windows.next(0); next !== undefined; next = windows.next(shares(all.length - 1))) {
    expect(windows.isAtEnd).toBe(direction === "asc" ? next.most === times.most : next.least === times.least);
    all.push(next);
  }
  return all;
}

test("windows of time hold every moment once, in the order in which records are wanted", async () => {
  const near = fc.integer({ min: NOW - 400 * DAY, max: NOW + DAY });
  const times = fc.tuple(fc.oneof(near, fc.constant(-EVER)), fc.oneof(near, fc.constant(EVER)));
  const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 5 });
  const directions = fc.constantFrom<"asc" | "desc">("asc", "desc");
  await assertProperty(
    fc.property(directions, times, shares, (direction, [one, other], found) => {
      const [least, most] = [Math.min(one, other), Math.max(one, other)];
      if (direction === "asc" && least === -EVER) return;
      const windows = windowsOf(direction, { least, most }, (index) => found[index % found.length]!);
      const ascending = direction === "asc" ? windows : windows.toReversed();
      expect(ascending[0]!.least).toBe(least);
      expect(ascending.at(-1)!.most).toBe(most);
      for (const [index, { least: from, most: to }] of ascending.entries()) {
        expect(from).toBeLessThanOrEqual(to);
        if (index > 0) expect(from).toBe(ascending[index - 1]!.most + 1);
      }
      // Each reaches at least twice as far as the one before, up to 60 days.
      expect(windows.length).toBeLessThanOrEqual(18);
    }),
  );
});

test("the newest records are looked for in the last minute first, and with them those of a clock that is ahead", () => {
  const windows = windowsOf("desc", { least: -EVER, most: EVER }, () => 0);
  expect(windows).toEqual([
    { least: NOW - MINUTE, most: EVER },
    { least: NOW - HOUR, most: NOW - MINUTE - 1 },
    { least: NOW - 60 * HOUR, most: NOW - HOUR - 1 },
    { least: -EVER, most: NOW - 60 * HOUR - 1 },
  ]);
});

test("where half of the records are known, the next window reaches three times as far", () => {
  const windows = new Windows("desc", { least: -EVER, most: NOW }, NOW);
  windows.next(0);
  expect(windows.next(0.5)).toEqual({ least: NOW - 3 * MINUTE, most: NOW - MINUTE - 1 });
});
