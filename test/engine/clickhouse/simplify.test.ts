import { expect, test } from "bun:test";
import fc from "fast-check";
import { mergedBounds } from "../../../src/engine/clickhouse/print/bounds.ts";
import { simplified } from "../../../src/engine/clickhouse/print/simplify.ts";
import { ALL, type Condition, conditionsOf, type FilterTree, isJunction, NOTHING } from "../../../src/filter/tree.ts";
import { assertProperty } from "../../chance.ts";

const LETTERS = ["a", "b", "c", "d", "e"];

const condition = (letter: string, operator = "equals", value: string | number = letter): Condition => ({
  kind: "condition",
  label: letter,
  source: { from: "row", sql: `r.${letter}` },
  valueKind: "text",
  name: undefined,
  operator,
  value,
});
const LEAVES: readonly FilterTree[] = LETTERS.map((letter) => condition(letter));

const anyTree = fc.letrec<{ tree: FilterTree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 6 },
    { weight: 6, arbitrary: fc.constantFrom(...LEAVES) },
    { weight: 1, arbitrary: fc.constantFrom<FilterTree>(ALL, NOTHING) },
    {
      weight: 6,
      arbitrary: fc
        .tuple(fc.constantFrom<"and" | "or">("and", "or"), fc.array(tie("tree"), { minLength: 1, maxLength: 4 }))
        .map(([kind, terms]): FilterTree => ({ kind, terms })),
    },
  ),
})).tree;

/** What a tree says where these letters are true. */
function holds(tree: FilterTree, isTrue: (condition: Condition) => boolean): boolean {
  if (tree.kind === "and") return tree.terms.every((term) => holds(term, isTrue));
  if (tree.kind === "or") return tree.terms.some((term) => holds(term, isTrue));
  return tree.kind === "condition" ? isTrue(tree) : tree.kind === "all";
}

test("a simplified tree is equivalent, and has no more conditions", async () => {
  await assertProperty(
    fc.property(anyTree, (tree) => {
      const simple = simplified(tree);
      for (let which = 0; which < 2 ** LETTERS.length; which++) {
        const isTrue = ({ label }: Condition) => ((which >> LETTERS.indexOf(label)) & 1) === 1;
        expect(holds(simple, isTrue)).toBe(holds(tree, isTrue));
      }
      expect([...conditionsOf(simple)].length).toBeLessThanOrEqual([...conditionsOf(tree)].length);
      const kinds = isJunction(simple) ? simple.terms.map(({ kind }) => kind) : [];
      expect(kinds).not.toContain(simple.kind);
    }),
    { numRuns: 500 },
  );
});

test("only the tightest of several bounds on one value is left", async () => {
  const bound = fc
    .tuple(fc.constantFrom("a", "b"), fc.constantFrom("gte", "gt", "lte", "lt"), fc.integer({ min: 0, max: 5 }))
    .map(([letter, operator, value]) => condition(letter, operator, value));
  await assertProperty(
    fc.property(
      fc.constantFrom<"and" | "or">("and", "or"),
      fc.array(bound, { minLength: 1, maxLength: 9 }),
      (kind, terms) => {
        const tree: FilterTree = { kind, terms };
        for (const a of [-1, 0, 1, 2, 3, 4, 5, 6]) {
          const isTrue = ({ label, operator, value }: Condition) => {
            const [own, other] = [label === "a" ? a : 5 - a, Number(value)];
            if (own === other) return operator.endsWith("e");
            return own > other === operator.startsWith("g");
          };
          expect(holds(mergedBounds(tree), isTrue)).toBe(holds(tree, isTrue));
        }
      },
    ),
    { numRuns: 200 },
  );
});

test("a tree that alternates 20,000 times becomes as flat as its content", () => {
  let tree: FilterTree = condition("c");
  for (let level = 0; level < 10_000; level++) {
    tree = {
      kind: "or",
      terms: [condition("a", "equals", `value ${level}`), { kind: "and", terms: [condition("b"), tree] }],
    };
  }
  const simple = simplified(tree);
  expect([...conditionsOf(simple)].length).toBe(10_002);
});
