import { expect, test } from "bun:test";
import fc from "fast-check";
import { FIELD_BY_ID } from "../../src/web/filter/fields.ts";
import { type FilterNode, fromTree, toTree } from "../../src/web/filter/model.ts";
import { leaf, or } from "../../src/web/filter/tree.ts";
import {
  chosenValues,
  FACETS,
  propertyFacet,
  withoutChoice,
  withToggled,
} from "../../src/web/pages/requests/facet-filter.ts";
import { barsOf, chosenSpan } from "../../src/web/pages/requests/histogram.tsx";
import { assertProperty } from "../chance.ts";

const of = (group: string) => FACETS.find((facet) => facet.group === group)!;

test.each(FACETS.map(({ field, group }) => [group, field]))("values of %s are those of a field", (_group, field) => {
  expect(FIELD_BY_ID.has(field)).toBe(true);
});

const MODELS = or(leaf("model", { equals: "a" }), leaf("model", { equals: null }));
const SLOW = leaf("latency", { gte: 5 });

test("a filter says which values of a facet it chooses", () => {
  expect(chosenValues(fromTree(MODELS), of("model"))).toEqual(["a", null]);
  expect(chosenValues(fromTree({ left: SLOW, operator: "and", right: MODELS }), of("model"))).toEqual(["a", null]);
  expect(chosenValues(fromTree(leaf("properties", { Team: { equals: "x" } })), propertyFacet("Team"))).toEqual(["x"]);
  expect(chosenValues(fromTree(leaf("properties", { Team: { equals: "x" } })), propertyFacet("Other"))).toEqual([]);
  expect(chosenValues(fromTree(leaf("status", { gte: 500 })), of("status"))).toEqual([]);
  expect(chosenValues(fromTree(or(SLOW, leaf("model", { equals: "a" }))), of("model"))).toEqual([]);
});

const anyFilter = fc.constantFrom("all", MODELS, SLOW, or(SLOW, MODELS), {
  left: SLOW,
  operator: "and",
  right: MODELS,
});
const anyFacet = fc.constantFrom(...FACETS, propertyFacet("Team"));
const anyValue = fc.constantFrom("a", "b", null);

test("choosing a value twice leaves the filter as it was, and nothing else changes it", () => {
  assertProperty(
    fc.property(anyFilter, anyFacet, anyValue, (tree, facet, value) => {
      const before = fromTree(tree);
      const once = withToggled(before, facet, value);
      // Through the address and back.
      const read = fromTree(toTree(once));
      const had = chosenValues(before, facet);
      const wanted = had.includes(value) ? had.filter((each) => each !== value) : [...had, value];
      expect(chosenValues(read, facet)).toEqual(wanted);
      expect(toTree(withoutChoice(read, facet))).toEqual(toTree(withoutChoice(before, facet)));
      expect(new Set(chosenValues(withToggled(read, facet, value), facet))).toEqual(new Set(had));
    }),
  );
});

test("an any with another condition in it is kept whole along with what is chosen", () => {
  const filter = withToggled(fromTree(or(SLOW, MODELS)), of("model"), "z");
  expect(filter.nodes.map((node: FilterNode) => node.kind)).toEqual(["group", "condition"]);
});

const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 1);
const span = { from: START + 60_000, to: START + 3 * HOUR - 60_000 };

test("every bucket has a bar, and a choice of bars stays within the time that is shown", () => {
  const row = { time: new Date(START + HOUR).toISOString(), requests: 3, errors: 1, refused: 0 };
  const bars = barsOf([row], span, "hour");
  expect(bars.map(({ requests }) => requests)).toEqual([0, 3, 0]);
  expect(chosenSpan(bars, [1, 1], span, "hour")).toEqual({ from: START + HOUR, to: START + 2 * HOUR });
  expect(chosenSpan(bars, [2, 0], span, "hour")).toEqual(span);
});
