import type { Sql } from "./sql.ts";
import type { Condition } from "./tree.ts";

/**
 * Replaces a test on a body, which SQL cannot perform.
 *
 * Trees have no negation. With `true` everywhere a filter therefore selects at least, and with `false` at most, the rows
 * that it selects once the bodies have been read.
 */
export type BodyTest = (condition: Condition) => Sql;

export interface CompileOptions {
  readonly body?: BodyTest;
}

export interface PrintOptions extends CompileOptions {
  /** Whether conditions on shared columns query the kinds instead of each row. */
  readonly asksKinds: boolean;
}
