import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { decodeFilter } from "../../src/filter/decode.ts";
import { FILTER_FIELDS, FILTER_OPERATORS } from "../../src/web/filter/fields.ts";
import { conditionText, type FilterNode, fromTree, toTree } from "../../src/web/filter/model.ts";
import { and, during, type FilterTree, isFast, leaf } from "../../src/web/filter/tree.ts";
import { assertProperty } from "../chance.ts";

const VALUES = { text: "a b", number: 3, time: "2026-01-01T00:00:00.000Z", boolean: true, contains: "x", key: "Team" };

const conditions = FILTER_FIELDS.flatMap((field) =>
  FILTER_OPERATORS[field.kind].map(
    (operator): FilterNode => ({
      kind: "condition",
      field: field.id,
      name: field.named === undefined ? "" : "Team",
      operator: operator.id,
      value: operator.fixed === null ? null : VALUES[field.kind],
    }),
  ),
);

describe("every condition that can be built", () => {
  test.each(conditions.map((node) => [JSON.stringify(node), node] as const))(
    "is one that the API takes: %s",
    (_name, node) => {
      const tree = toTree(node);
      expect(() => decodeFilter(tree, isFast(tree) ? "fast" : "legacy")).not.toThrow();
      expect(fromTree(tree)).toEqual({ kind: "group", operator: "and", nodes: [node] });
      if (node.kind === "condition") expect(conditionText(node)).not.toContain("undefined");
    },
  );
});

const anyNode = fc.letrec<{ node: FilterNode; group: FilterNode }>((tie) => ({
  node: fc.oneof({ maxDepth: 4 }, fc.constantFrom(...conditions), tie("group")),
  group: fc.record({
    kind: fc.constant("group" as const),
    operator: fc.constantFrom("and" as const, "or" as const),
    nodes: fc.array(tie("node"), { minLength: 1, maxLength: 4 }),
  }),
})).node;

test("a filter that is built, shown and built again means the same", () => {
  assertProperty(
    fc.property(anyNode, (node) => {
      const tree = toTree(node);
      const again = toTree(fromTree(tree));
      expect(decodeFilter(again, "legacy")).toEqual(decodeFilter(tree, "legacy"));
    }),
  );
});

test("what the builder has no controls for holds as it is", () => {
  const tree: FilterTree = and(leaf("model", { equals: "m" }), { feedback: { rating: { equals: true } } });
  expect(toTree(fromTree(tree))).toEqual(tree);
  expect(isFast(tree)).toBe(false);
});

test("a leaf of several conditions is split", () => {
  const tree = {
    request_response_rmt: {
      status: { gte: 400, lt: 500 },
      properties: { Team: { equals: "a" }, Stage: { equals: null } },
    },
  };
  expect(fromTree(tree).nodes.map((node) => (node.kind === "condition" ? conditionText(node) : node.kind))).toEqual([
    "Status ≥ 400",
    "Status < 500",
    "Property Team is a",
    "Property Stage is missing",
  ]);
});

test.each([[undefined], [null], ["all"], [5], [[]], ["nonsense"]])("%p is no filter", (tree) => {
  expect(toTree(fromTree(tree))).toBe("all");
});

test("a time range is a filter of its own", () => {
  expect(during({ from: undefined, to: undefined })).toBe("all");
  expect(during({ from: "2026-01-01T00:00:00.000Z", to: undefined })).toEqual({
    request_response_rmt: { request_created_at: { gte: "2026-01-01T00:00:00.000Z" } },
  });
});
