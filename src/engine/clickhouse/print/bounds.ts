import { type Condition, type FilterTree, isJunction } from "../../../filter/tree.ts";

/**
 * Merges adjacent bounds on the same value into one: ClickHouse's time grows with the square of the number of conditions.
 * "Less than 3 or less than 5" is "less than 5"; a missing value satisfies neither.
 */
export function mergedBounds(tree: FilterTree): FilterTree {
  if (!isJunction(tree)) return tree;
  const merged = new Map<FilterTree, FilterTree>();
  const pending: FilterTree[] = [tree];
  const order: FilterTree[] = [];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (!isJunction(node)) continue;
    order.push(node);
    pending.push(...node.terms.filter(isJunction));
  }
  for (const node of order.reverse()) {
    if (!isJunction(node)) continue;
    const terms = node.terms.map((term) => merged.get(term) ?? term);
    merged.set(node, { kind: node.kind, terms: widest(node.kind, terms) });
  }
  return merged.get(tree)!;
}

function widest(kind: "and" | "or", terms: readonly FilterTree[]): FilterTree[] {
  const bounds = new Map<string, Condition>();
  const others: FilterTree[] = [];
  for (const term of terms) {
    const subject = subjectOf(term);
    if (subject === undefined) {
      others.push(term);
      continue;
    }
    const bound = term as Condition;
    const before = bounds.get(subject);
    const isLower = Number(bound.value) < Number(before?.value);
    // For "or" the weaker bound, for "and" the stronger one.
    const takesLower = bound.operator.startsWith("g") === (kind === "or");
    if (before === undefined || isLower === takesLower) bounds.set(subject, bound);
  }
  return [...bounds.values(), ...others];
}

/** Equal for bounds in the same direction on the same column; undefined for other terms. */
function subjectOf(term: FilterTree): string | undefined {
  if (term.kind !== "condition" || term.source.from !== "row" || typeof term.value !== "number") return undefined;
  return ["gte", "gt", "lte", "lt"].includes(term.operator) ? `${term.operator} ${term.source.sql}` : undefined;
}
