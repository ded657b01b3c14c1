import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { PANEL_METRICS, GRID_COLUMNS as STORED_COLUMNS } from "../../src/store/dashboards.ts";
import { placeBelow, placedAt, resized, type Step, settled, stepped } from "../../src/web/pages/dashboards/grid.ts";
import { METRICS, toneOf } from "../../src/web/pages/dashboards/metrics.ts";
import { readDashboardSearch } from "../../src/web/pages/dashboards/search.ts";
import { GRID_COLUMNS, type Place } from "../../src/web/pages/dashboards/shapes.ts";
import { assertProperty } from "../chance.ts";

const anyPlace = fc
  .record({
    x: fc.nat({ max: GRID_COLUMNS - 1 }),
    y: fc.nat({ max: 30 }),
    w: fc.integer({ min: 1, max: GRID_COLUMNS }),
    h: fc.integer({ min: 1, max: 20 }),
  })
  .map((place) => ({ ...place, w: Math.min(place.w, GRID_COLUMNS - place.x) }));
const anyBoard = fc.array(anyPlace, { minLength: 1, maxLength: 12 }).map((places) => settled(places));
const anyStep = fc.constantFrom<Step>("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown");

const cells = ({ x, y, w, h }: Place) =>
  Array.from({ length: w * h }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`);

function expectTidy(places: readonly Place[]): void {
  const taken = places.flatMap(cells);
  expect(new Set(taken).size).toBe(taken.length);
  for (const { x, y, w, h } of places) {
    expect(x >= 0 && y >= 0 && w >= 1 && h >= 1 && h <= 20 && x + w <= GRID_COLUMNS).toBe(true);
    // Nothing hangs in the air: it stands at the top, or below something.
    const above = Array.from({ length: w }, (_, column) => `${x + column} ${y - 1}`);
    expect(y === 0 || above.some((cell) => taken.includes(cell))).toBe(true);
  }
}

describe("panels on their grid", () => {
  test("never overlap, leave it or hang in the air, whatever is moved or resized", () => {
    assertProperty(
      fc.property(anyBoard, fc.nat(), anyStep, anyPlace, (places, number, key, to) => {
        const at = number % places.length;
        expectTidy(places);
        for (const next of [
          stepped(places, at, key),
          resized(places, at, key),
          placedAt(places, at, to),
          settled([...places, placeBelow(places, to)]),
        ]) {
          expectTidy(next);
          expect(settled(next)).toEqual(next);
        }
        expect(placedAt(places, at, to)[at]).toMatchObject({ x: to.x, w: to.w, h: to.h });
      }),
    );
  });

  const [upper, lower]: [Place, Place] = [
    { x: 0, y: 0, w: 6, h: 4 },
    { x: 0, y: 4, w: 6, h: 2 },
  ];
  test.each([
    [
      "down changes places with what is below",
      stepped([upper, lower], 0, "ArrowDown"),
      [
        { ...upper, y: 2 },
        { ...lower, y: 0 },
      ],
    ],
    [
      "up changes places with what is above",
      stepped([upper, lower], 1, "ArrowUp"),
      [
        { ...upper, y: 2 },
        { ...lower, y: 0 },
      ],
    ],
    ["right goes one column on", stepped([upper], 0, "ArrowRight"), [{ ...upper, x: 1 }]],
    ["left stays at the edge", stepped([upper], 0, "ArrowLeft"), [upper]],
    ["up stays at the top", stepped([upper, lower], 0, "ArrowUp"), [upper, lower]],
    [
      "taller pushes down what is below",
      resized([upper, lower], 0, "ArrowDown"),
      [
        { ...upper, h: 5 },
        { ...lower, y: 5 },
      ],
    ],
    [
      "wider at the right edge goes to the left",
      resized([{ ...upper, x: 6 }], 0, "ArrowRight"),
      [{ ...upper, x: 5, w: 7 }],
    ],
    ["narrower ends at one column", resized([{ ...upper, w: 1 }], 0, "ArrowLeft"), [{ ...upper, w: 1 }]],
  ])("%s", (_what, places, expected) => expect(places).toEqual(expected));
});

test("the grid and the metrics are those that the API checks", () => {
  expect(GRID_COLUMNS).toBe(STORED_COLUMNS);
  expect(Object.fromEntries(Object.entries(METRICS).map(([name, [, unit]]) => [name, unit]))).toEqual(PANEL_METRICS);
});

test("a value has the colour of the most serious threshold that it is beyond", () => {
  const thresholds = [
    { comparison: "above", value: 1, colour: "warn" },
    { comparison: "above", value: 2, colour: "bad" },
    { comparison: "below", value: 0.5, colour: "good" },
  ] as const;
  const tones = [null, 0, 0.5, 1, 1.5, 2, 2.5].map((value) => toneOf(value, thresholds));
  expect(tones).toEqual([undefined, "good", undefined, undefined, "warn", "warn", "bad"]);
});

test("the address of a dashboard keeps a filter that cannot be read, and one that takes the dashboard's own away", () => {
  expect(readDashboardSearch({ filter: "{broken", range: "24h", edit: "yes" })).toEqual({
    filter: "{broken",
    range: "24h",
  });
  expect(readDashboardSearch({ filter: "all" })).toEqual({ filter: "all" });
  expect(readDashboardSearch({ filter: null, range: "2 weeks", edit: true })).toEqual({ edit: true });
});
