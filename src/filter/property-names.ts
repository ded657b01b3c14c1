import type { Bind } from "./operators.ts";

/**
 * Stored names that a property name in a filter can mean: itself, and, if it is in Train-Case, the same in lower case
 * where the case was lost on the way to us.
 */
export interface PropertyName {
  readonly exact: string;
  /** Counts only for names stored as case-erased. */
  readonly erased: string | undefined;
}

export function propertyName(name: string): PropertyName {
  const lower = name.toLowerCase();
  return { exact: name, erased: lower !== name && trainCase(lower) === name ? lower : undefined };
}

/** `app-name` → `App-Name` */
export function trainCase(lower: string): string {
  return lower.replace(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase());
}

/** SQL that is true where a row `alias` of `properties` has the name. */
export function nameSql(name: string, alias: string, bind: Bind): string {
  const { exact, erased } = propertyName(name);
  if (erased === undefined) return `${alias}.name = ${bind(exact)}`;
  return `(${alias}.name = ${bind(exact)} or (${alias}.name = ${bind(erased)} and ${alias}.case_erased))`;
}
