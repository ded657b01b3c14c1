import { expect, test } from "bun:test";
import fc from "fast-check";
import { binsOf, type Value } from "../../src/web/pages/scores/bins.ts";
import { assertProperty } from "../chance.ts";

test("a few values stand by themselves, the least first", () => {
  const bins = binsOf([
    { value: 1, requests: 3 },
    { value: 0, requests: 2 },
  ]);
  expect(bins).toEqual([
    { from: 0, to: 0, isClosed: true, requests: 2 },
    { from: 1, to: 1, isClosed: true, requests: 3 },
  ]);
  expect(binsOf([])).toEqual([]);
});

test("many values are in ten bins that touch, and each request is in one", () => {
  const value = fc.double({ noNaN: true, noDefaultInfinity: true });
  assertProperty(
    fc.property(fc.uniqueArray(value, { minLength: 11, maxLength: 60, comparator: "SameValueZero" }), (values) => {
      const bins = binsOf(values.map((each): Value => ({ value: each, requests: 2 })));
      expect(bins.length).toBeLessThanOrEqual(10);
      expect(bins[0]!.from).toBe(Math.min(...values));
      expect(bins.at(-1)!.to).toBe(Math.max(...values));
      for (let at = 1; at < bins.length; at++) expect(bins[at]!.from).toBe(bins[at - 1]!.to);
      expect(bins.reduce((sum, { requests }) => sum + requests, 0)).toBe(values.length * 2);
    }),
  );
});

test("bins of one width", () => {
  const bins = binsOf(Array.from({ length: 101 }, (_, at) => ({ value: at, requests: 1 })));
  expect(bins.map(({ requests }) => requests)).toEqual([10, 10, 10, 10, 10, 10, 10, 10, 10, 11]);
  expect(bins.map(({ from }) => from)).toEqual([0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
});
