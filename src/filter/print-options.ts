import type { Sql } from "./sql.ts";
import type { Condition } from "./tree.ts";

/**
 * What stands in place of a test on a body, which SQL cannot do.
 *
 * Trees have no negation, so with `true` everywhere a filter selects at least, and with `false` at most, what it
 * selects once the bodies have been read.
 */
export type BodyTest = (condition: Condition) => Sql;

export interface CompileOptions {
  readonly body?: BodyTest;
}

export interface PrintOptions extends CompileOptions {
  /** Whether conditions on what kinds hold are asked of the kinds, and not of each row. */
  readonly asksKinds: boolean;
}
