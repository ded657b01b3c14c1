/** A filter in the API's form. */
export type FilterTree = "all" | FilterLeaf | FilterBranch;

/** `{"<group>": {"<field>": {"<operator>": value}}}`, an object deeper if the field holds names. */
export type FilterLeaf = { readonly [group: string]: unknown };

interface FilterBranch {
  readonly left: FilterTree;
  readonly operator: "and" | "or";
  readonly right: FilterTree;
}

export type FilterValue = string | number | boolean | null;

/** A condition on a field of the usual group: `leaf("model", { equals: "m-1" })`. */
export const leaf = (field: string, condition: unknown): FilterLeaf => ({
  request_response_rmt: { [field]: condition },
});

export const ofSession = (field: string, condition: unknown): FilterLeaf => ({
  sessions_request_response_rmt: { [field]: condition },
});

/** All given trees joined by one operator; `"all"` if there are none. */
export function join(operator: "and" | "or", trees: readonly FilterTree[]): FilterTree {
  const terms = trees.filter((tree) => tree !== "all");
  return terms.reduce<FilterTree>((left, right) => (left === "all" ? right : { left, operator, right }), "all");
}

/** All of them must hold; undefined and `"all"` are ignored. */
export const and = (...trees: readonly (FilterTree | undefined)[]): FilterTree =>
  join(
    "and",
    trees.filter((tree) => tree !== undefined),
  );

export const or = (...trees: readonly FilterTree[]): FilterTree => join("or", trees);

/** The records from one moment up to another; either may be open. */
export function during({
  from,
  to,
}: {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}): FilterTree {
  const bound = { ...(from === undefined ? {} : { gte: from }), ...(to === undefined ? {} : { lt: to }) };
  return Object.keys(bound).length === 0 ? "all" : leaf("request_created_at", bound);
}

export function isBranch(tree: unknown): tree is FilterBranch {
  return typeof tree === "object" && tree !== null && "left" in tree && "operator" in tree && "right" in tree;
}

/** Whether `query-fast`, which supports only one group of fields, accepts the filter. */
export function isFast(tree: FilterTree): boolean {
  const pending: FilterTree[] = [tree];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node === "all") continue;
    if (isBranch(node)) pending.push(node.left, node.right);
    else if (Object.keys(node).some((group) => group !== "request_response_rmt")) return false;
  }
  return true;
}
