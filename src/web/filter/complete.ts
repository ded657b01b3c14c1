import { EMPTY_FILTER, type FilterGroup, type FilterNode, isComplete } from "./model.ts";

/** The same filter without incomplete conditions, and without groups that are then empty. */
export function completePart(group: FilterGroup): FilterGroup {
  const kept = (node: FilterNode): FilterNode[] => {
    if (node.kind === "foreign") return [node];
    if (node.kind === "condition") return isComplete(node) ? [node] : [];
    const nodes = node.nodes.flatMap(kept);
    return nodes.length === 0 ? [] : [{ ...node, nodes }];
  };
  const [whole] = kept(group);
  return whole?.kind === "group" ? whole : EMPTY_FILTER;
}
