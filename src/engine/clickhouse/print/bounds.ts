import { type Condition, type FilterTree, isJunction } from "../../../filter/tree.ts";

/**
 * The same filter with one bound where several in a row are on the same value: ClickHouse takes time for the square of the
 * number of conditions. "Less than 3 or less than 5" is "less than 5"; what is missing fits neither.
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
    // Of "or" the one that lets more through, of "and" the one that lets less.
    const takesLower = bound.operator.startsWith("g") === (kind === "or");
    if (before === undefined || isLower === takesLower) bounds.set(subject, bound);
  }
  return [...bounds.values(), ...others];
}

/** The same for bounds in one direction on one column; undefined of everything else. */
function subjectOf(term: FilterTree): string | undefined {
  if (term.kind !== "condition" || term.source.from !== "row" || typeof term.value !== "number") return undefined;
  return ["gte", "gt", "lte", "lt"].includes(term.operator) ? `${term.operator} ${term.source.sql}` : undefined;
}
