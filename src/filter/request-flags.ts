import { FLAGS } from "./fields.ts";
import { both, type Condition, type FilterTree } from "./tree.ts";

/** Each is true (keep), false (remove) or absent (ignore). */
export type Flags = { readonly [Name in keyof typeof FLAGS]?: boolean | null | undefined };

/** Combines a filter with the flags beside it in a request. */
export function withFlags(tree: FilterTree, flags: Flags): FilterTree {
  let result = tree;
  for (const [name, sql] of Object.entries(FLAGS)) {
    const value = flags[name as keyof Flags];
    if (typeof value !== "boolean") continue;
    const condition: Condition = {
      kind: "condition",
      label: name,
      source: { from: "row", sql },
      valueKind: "boolean",
      name: undefined,
      operator: "equals",
      value,
    };
    result = both(result, condition);
  }
  return result;
}
