import { conditionSql, strict } from "./conditions.ts";
import type { Dialect } from "./dialect.ts";
import { closed, conjunction, junction, type Printed } from "./junctions.ts";
import type { CompileOptions } from "./print-options.ts";
import { raw, type Sql } from "./sql.ts";
import { conditionsOf, conjuncts, type FilterTree, isJunction, type Junction, type Term } from "./tree.ts";
import { gatherLists, listSql } from "./value-lists.ts";

/** Above this number of conditions, subqueries over kinds cost more than they save, and nest too deeply. */
const KIND_TESTS_MAX = 64;

/**
 * Turns a filter into an SQL condition over a row `r` of `requests`; every value becomes a bound parameter.
 *
 * @returns SQL that is true for the rows that the filter selects, and false or null for all others.
 */
export function compileFilter(tree: FilterTree, { body }: CompileOptions = {}): Sql {
  const isSmall =
    conditionsOf(tree)
      .take(KIND_TESTS_MAX + 1)
      .toArray().length <= KIND_TESTS_MAX;
  const options = { ...(body && { body }), asksKinds: isSmall };
  return printTree(tree, {
    condition: (condition) => conditionSql(condition, options),
    list: (conditions, operator) => listSql(conditions, operator, options),
    strict,
  });
}

/** SQL of a filter tree in any dialect. Works bottom-up and iteratively, because trees can be 25,000 levels deep. */
export function printTree(tree: FilterTree, dialect: Dialect): Sql {
  const printed = new Map<FilterTree, Printed>();
  const outer = new Set(conjuncts(tree));
  for (const node of fromBelow(tree)) {
    if (isJunction(node)) printed.set(node, printJunction(node, { printed, outer, tree }, dialect));
    else printed.set(node, printTerm(node, outer.has(node), dialect));
  }
  return closed(printed.get(tree)!).sql;
}

interface Progress {
  readonly printed: ReadonlyMap<FilterTree, Printed>;
  /** Terms that must all hold: the planner looks for indexes among them. */
  readonly outer: ReadonlySet<FilterTree>;
  readonly tree: FilterTree;
}

function printJunction(node: Junction, { printed, outer, tree }: Progress, dialect: Dialect): Printed {
  const { lists, terms } = gatherLists(node, dialect);
  if (lists.length === 1 && terms.length === 0 && outer.has(node)) return lists[0]!;
  const all = [...lists.map(dialect.strict), ...terms.map((term) => printed.get(term)!)];
  return node === tree && node.kind === "and" ? conjunction(all) : junction(node.kind, all);
}

function printTerm(node: Term, outer: boolean, dialect: Dialect): Printed {
  if (node.kind === "all") return { sql: TRUE, cost: 1 };
  if (node.kind === "nothing") return { sql: FALSE, cost: 1 };
  const condition = dialect.condition(node);
  return outer ? condition : dialect.strict(condition);
}

/** SQL of a condition that is always true, and of one that never is. */
export const TRUE = raw("1");
const FALSE = raw("0");

/** Every node, after all nodes below it. */
function fromBelow(tree: FilterTree): FilterTree[] {
  const order: FilterTree[] = [];
  const pending: FilterTree[] = [tree];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    order.push(node);
    if (isJunction(node)) for (const term of node.terms) pending.push(term);
  }
  return order.reverse();
}
