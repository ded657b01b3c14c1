import { expect, test } from "bun:test";
import fc from "fast-check";
import { gridLines, gridTop, lonely, timeLabels } from "../../src/web/charts/plot.ts";
import { assertProperty } from "../chance.ts";

test.each([
  [[null, 219, null], [1]],
  [[219], [0]],
  [[1, 2, null, 3], [3]],
  [[null, null], []],
  [[1, 2, 3], []],
  [
    [5, null, 0, null, null, 7],
    [0, 2, 5],
  ],
])("of %j the points %j have no neighbour, and are drawn", (values, expected) => {
  expect(lonely({ data: [[], values] as never }, 1)).toEqual(expected);
});

test.each([
  [0, false, [0, 0.5, 1]],
  [null, true, [0, 1]],
  [1, true, [0, 1]],
  [3, true, [0, 1, 2, 3]],
  [7, true, [0, 2, 4, 6, 8]],
  [48, true, [0, 20, 40, 60]],
  [0.5, false, [0, 0.2, 0.4, 0.6]],
])("the grid over %p is %j, whole numbers: %p", (max, isWhole, lines) => {
  expect(gridLines(gridTop(max, isWhole), isWhole).map((line) => Number(line.toPrecision(6)))).toEqual(lines);
});

test("a bar never passes the highest line of the grid, and there are few lines", () => {
  assertProperty(
    fc.property(fc.double({ min: 1e-9, max: 1e12, noNaN: true }), fc.boolean(), (max, isWhole) => {
      const top = gridTop(max, isWhole);
      const lines = gridLines(top, isWhole);
      expect(top).toBeGreaterThanOrEqual(max * (1 - 1e-6));
      expect(lines.length).toBeLessThanOrEqual(6);
      expect(lines.at(-1)! / top).toBeCloseTo(1, 6);
    }),
  );
});

test("a chart of days says at its first label that they are days of UTC", () => {
  const halfDays = [0, 43_200, 86_400, 172_800];
  expect(timeLabels(halfDays, "day", 86_400_000)).toEqual(["Jan 1 UTC", "", "Jan 2", ""]);
  expect(timeLabels([43_200, 86_400], "day", 86_400_000)).toEqual(["", "Jan 2 UTC"]);
});
