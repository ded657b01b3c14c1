import type { Printed } from "./junctions.ts";
import type { Condition } from "./tree.ts";

export type ListOperator = "equals" | "not-equals";

/** How an engine's SQL spells the terms of a filter; how they are joined is the same in each. */
export interface Dialect {
  /** Whether whole numbers are looked up in lists, too. */
  readonly listsNumbers?: boolean;
  /** Alone it may be null where a value is missing. */
  condition(condition: Condition): Printed;
  /** Conditions that ask for equality of one value, joined by "or", or for its opposite, joined by "and"; may be null. */
  list(conditions: readonly [Condition, ...Condition[]], operator: ListOperator): Printed;
  /** The same, never null: so that "not" can be asked of it. */
  strict(printed: Printed): Printed;
}
