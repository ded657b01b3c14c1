/**
 * The circles in a graph: sets of nodes that lead to each other (Tarjan's strongly connected components), and nodes that
 * lead to themselves.
 *
 * @param edges - by node; targets that are no node are left out.
 */
export function circles(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = [];
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];

  const visit = (node: string) => {
    order.set(node, order.size);
    lowest.set(node, order.get(node)!);
    open.push(node);
    for (const next of edges.get(node)!) {
      if (!edges.has(next)) continue;
      if (!order.has(next)) visit(next);
      else if (!open.includes(next)) continue;
      lowest.set(node, Math.min(lowest.get(node)!, lowest.get(next)!));
    }
    if (lowest.get(node) !== order.get(node)) return;
    const together = open.splice(open.indexOf(node));
    if (together.length > 1 || edges.get(node)!.includes(node)) found.push(together.sort());
  };
  for (const node of edges.keys()) if (!order.has(node)) visit(node);
  return found;
}
