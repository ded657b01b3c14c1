import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  type Choices,
  DEFAULT_CHOICES,
  moved,
  readChoices,
  resized,
  toggled,
} from "../../src/web/pages/requests/column-choice.ts";
import { COLUMNS, columnOf, type RequestRow, toolNames } from "../../src/web/pages/requests/columns.tsx";
import { assertProperty } from "../chance.ts";

const ids = (choices: Choices) => choices.map(({ id }) => id);

test("every column that is shown at first exists, with what was said among the first", () => {
  expect(ids(DEFAULT_CHOICES).filter((id) => columnOf(id) === undefined)).toEqual([]);
  expect(ids(DEFAULT_CHOICES).slice(0, 4)).toEqual(["time", "status", "input", "output"]);
});

test.each([
  ["nothing", null, DEFAULT_CHOICES],
  ["another program's object", { a: 1 }, DEFAULT_CHOICES],
  ["no known column", ["nothing", 7, null], DEFAULT_CHOICES],
  ["ids alone, as earlier versions stored them", ["time", "path"], [{ id: "time" }, { id: "path" }]],
  ["an order of its own", [{ id: "cost" }, { id: "time" }], [{ id: "cost" }, { id: "time" }]],
  ["no time, which is the row's link", [{ id: "cost" }], [{ id: "time" }, { id: "cost" }]],
  ["one column twice", ["time", "time"], [{ id: "time" }]],
  [
    "a property and a score",
    ["time", "property:Team", "score:helpful"],
    [{ id: "time" }, { id: "property:Team" }, { id: "score:helpful" }],
  ],
  ["a property without a name", ["time", "property:", "score:"], [{ id: "time" }]],
  ["a name of every object", ["time", "constructor", "__proto__"], [{ id: "time" }]],
  [
    "widths of any size",
    [
      { id: "time", width: 1e9 },
      { id: "cost", width: -3 },
      { id: "user", width: "wide" },
    ],
    [{ id: "time", width: 1_600 }, { id: "cost", width: 48 }, { id: "user" }],
  ],
])("stored columns that hold %s are read", (_what, stored, choices) => {
  expect(readChoices(stored)).toEqual(choices as Choices);
});

const anyChoices = fc
  .uniqueArray(fc.constantFrom(...COLUMNS.map(({ id }) => id), "property:Team", "score:helpful"), { minLength: 1 })
  .map((all): Choices => readChoices(all));

test("moving, resizing and reading back loses no column and adds none", () => {
  assertProperty(
    fc.property(anyChoices, fc.nat(), fc.integer({ min: -5, max: 80 }), fc.double(), (choices, nth, to, width) => {
      const { id } = choices[nth % choices.length]!;
      const next = resized(moved(choices, id, to), id, width);
      expect(ids(next).toSorted()).toEqual(ids(choices).toSorted());
      expect(ids(next).indexOf(id)).toBe(Math.min(choices.length - 1, Math.max(0, to)));
      expect(ids(readChoices(JSON.parse(JSON.stringify(next))))).toEqual(ids(next));
      expect(resized(next, id, undefined)).toEqual(moved(choices, id, to));
    }),
  );
});

test("a column is shown and hidden again, but never the time", () => {
  expect(ids(toggled([{ id: "time" }], "cost"))).toEqual(["time", "cost"]);
  expect(ids(toggled([{ id: "time" }, { id: "cost" }], "cost"))).toEqual(["time"]);
  expect(ids(toggled([{ id: "time" }], "time"))).toEqual(["time"]);
  expect(ids(toggled([{ id: "time" }], "nothing"))).toEqual(["time"]);
});

test.each([
  [null, ""],
  ["It is sunny.", ""],
  ['→ get_weather({"city":"Paris"})', "get_weather"],
  ["Let me look.\n→ first()\n→ second({})", "first,second"],
  ["an arrow → inside(text)", ""],
])("the output %p calls the tools %p", (output, names) => {
  expect(toolNames(output).join()).toBe(names);
});

test("columns of a property and a score show what a row has of them, and nothing of an object's own", () => {
  const row = { properties: { Team: "blue" }, scores: { helpful: 0.5 } } as unknown as RequestRow;
  const cell = (id: string) => columnOf(id)!.cell(row);
  expect(["property:Team", "property:toString", "score:helpful", "score:other"].map(cell)).toEqual([
    "blue",
    "–",
    "0.5",
    "–",
  ]);
});
