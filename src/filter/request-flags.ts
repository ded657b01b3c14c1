import { both, type Condition, type FilterTree } from "./tree.ts";

/** Each true, false or absent: keep, remove or ignore what it names. */
export interface Flags {
  readonly isCached?: boolean | null | undefined;
  readonly isScored?: boolean | null | undefined;
  readonly isPartOfExperiment?: boolean | null | undefined;
}

const MEANINGS: Readonly<Record<keyof Flags, string>> = {
  isCached: "r.cached",
  isScored: "(r.scores <> '{}' or r.feedback_id is not null)",
  isPartOfExperiment: "(r.experiment_id is not null)",
};

/** A filter together with the flags that stand beside it in a request. */
export function withFlags(tree: FilterTree, flags: Flags): FilterTree {
  let result = tree;
  for (const [name, sql] of Object.entries(MEANINGS)) {
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
