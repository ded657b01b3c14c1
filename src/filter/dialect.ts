import type { Printed } from "./junctions.ts";
import type { Condition } from "./tree.ts";

export type ListOperator = "equals" | "not-equals";

/** An engine's SQL for the terms of a filter; how terms are joined is the same for all engines. */
export interface Dialect {
  /** Whether lists are also used for integers. */
  readonly listsNumbers?: boolean;
  /** May be null if a value is missing. */
  condition(condition: Condition): Printed;
  /** SQL of equality conditions on one value, joined by "or", or of their opposites, joined by "and"; may be null. */
  list(conditions: readonly [Condition, ...Condition[]], operator: ListOperator): Printed;
  /** SQL with the meaning of `printed`, but never null, so that it can be negated. */
  strict(printed: Printed): Printed;
}
