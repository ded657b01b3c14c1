import { CREATED_AT } from "./sort.ts";
import { raw, type Sql, sql } from "./sql.ts";
import { type Condition, conjuncts, type FilterTree } from "./tree.ts";

/** The creation bounds, if the filter consists only of them; otherwise undefined. */
export function onlyBounds(tree: FilterTree): readonly Condition[] | undefined {
  const terms = conjuncts(tree).filter((term) => term.kind !== "all");
  const bounds = creationBounds(tree);
  return bounds.length === terms.length ? bounds : undefined;
}

/** Bounds of the creation time of a filter's records, both inclusive: it selects no records outside them. */
export function boundsOf(tree: FilterTree): { readonly least: number; readonly most: number } {
  const bounds = creationBounds(tree);
  const values = (...operators: string[]) =>
    bounds.filter(({ operator }) => operators.includes(operator)).map(({ value }) => Number(value));
  return {
    least: Math.max(-Number.MAX_SAFE_INTEGER, ...values("equals", "gte", "gt")),
    most: Math.min(Number.MAX_SAFE_INTEGER, ...values("equals", "lte", "lt")),
  };
}

/** The creation conditions that must all hold. */
export function creationBounds(tree: FilterTree): Condition[] {
  return conjuncts(tree)
    .filter((term) => term.kind === "condition")
    .filter(isCreation);
}

/** SQL of creation bounds for a table with that alias. */
export function boundsSql(bounds: readonly Condition[], alias: string): Sql[] {
  return bounds.map(
    ({ operator, value }) => sql`${raw(`${alias}.request_created_at ${SIGNS[operator]}`)} ${value as number}`,
  );
}

/** SQL of the operators that bound a number. */
export const SIGNS: Readonly<Record<string, string>> = { equals: "=", gte: ">=", lte: "<=", gt: ">", lt: "<" };

/** Whether a condition bounds the creation time. */
export function isCreation({ source, operator, value }: Condition): boolean {
  return source.from === "row" && source.sql === CREATED_AT && Object.hasOwn(SIGNS, operator) && value !== null;
}
