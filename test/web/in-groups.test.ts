import { expect, test } from "bun:test";
import fc from "fast-check";
import { inGroups } from "../../src/web/parts/in-groups.ts";
import { openLevels } from "../../src/web/parts/json-tree.tsx";
import { assertProperty } from "../chance.ts";

test("a list of 100,000 members opens in groups of a hundred", () => {
  const shown = inGroups(Array.from({ length: 100_000 }, (_, at) => at)) as Record<string, Record<string, number[]>>;
  expect(Object.keys(shown)).toHaveLength(10);
  expect(shown["90000 … 99999"]!["99900 … 99999"]).toEqual(Array.from({ length: 100 }, (_, at) => 99_900 + at));
  expect(openLevels(shown)).toBe(1);
});

test("what has few members stays as it is", () => {
  const few = { a: [1, { b: null }], c: Array.from({ length: 100 }, () => 0) };
  expect(inGroups(few)).toEqual(few);
});

test("no group has more than a hundred members, and none is lost", () => {
  assertProperty(
    fc.property(fc.integer({ min: 0, max: 30_000 }), fc.boolean(), (length, isList) => {
      const list = Array.from({ length }, (_, at) => at);
      const sizes: number[] = [];
      const found: number[] = [];
      const walk = (value: unknown) => {
        if (typeof value !== "object" || value === null) return void found.push(value as number);
        const members = Object.values(value);
        sizes.push(members.length);
        for (const member of members) walk(member);
      };
      walk(inGroups(isList ? list : Object.fromEntries(list.map((at) => [`m${at}`, at]))));
      expect(Math.max(...sizes)).toBeLessThanOrEqual(100);
      expect(found).toEqual(list);
    }),
    { numRuns: 20 },
  );
});
