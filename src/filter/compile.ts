import { conditionSql } from "./conditions.ts";
import { closed, conjunction, junction, type Printed } from "./junctions.ts";
import { gatherLists } from "./lists.ts";
import type { Parameters } from "./parameters.ts";
import { type Condition, type FilterTree, isJunction, type Term } from "./tree.ts";

/**
 * What stands in place of a test on a body, which SQL cannot do.
 *
 * Trees have no negation, so with `true` everywhere a filter selects at least, and with `false` at most, what it
 * selects once the bodies have been read.
 */
export type BodyTest = (condition: Condition) => string;

export interface CompileOptions {
  readonly parameters: Parameters;
  readonly body?: BodyTest;
}

/**
 * Turns a filter into an SQL condition over a row `r` of `requests`; every value becomes a bound parameter.
 *
 * Works from the leaves up with a list of its own, since trees come 25,000 levels deep.
 *
 * @returns SQL that is true for the rows the filter selects, and false or null for the others.
 */
export function compileFilter(tree: FilterTree, options: CompileOptions): string {
  const printed = new Map<FilterTree, Printed>();
  for (const node of fromBelow(tree)) {
    if (!isJunction(node)) {
      printed.set(node, printTerm(node, options));
      continue;
    }
    const { lists, terms } = gatherLists(node, options.parameters.bind);
    const all = [...lists, ...terms.map((term) => printed.get(term)!)];
    // The outermost "and" stays one, so that the planner can use its terms.
    printed.set(node, node === tree && node.kind === "and" ? conjunction(all) : junction(node.kind, all));
  }
  return closed(printed.get(tree)!).sql;
}

function printTerm(node: Term, options: CompileOptions): Printed {
  if (node.kind === "all") return { sql: "1", cost: 1 };
  if (node.kind === "nothing") return { sql: "0", cost: 1 };
  return conditionSql(node, options);
}

/** Every node after all nodes below it. */
function fromBelow(tree: FilterTree): FilterTree[] {
  const order: FilterTree[] = [];
  const pending: FilterTree[] = [tree];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    order.push(node);
    if (isJunction(node)) for (const term of node.terms) pending.push(term);
  }
  return order.reverse();
}
