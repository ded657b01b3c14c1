import type { FieldKind } from "./fields.ts";
import { type Sql, type SqlValue, sql } from "./sql.ts";
import { pattern, substring } from "./wildcards.ts";

/**
 * A test in SQL over one value.
 *
 * @param column - SQL of the value; null if missing.
 */
type Test = (column: Sql, value: SqlValue | boolean) => Sql;

// `is` and `is not` are the null-safe `=` and `<>`: a record without a model is "not equal" to every model.
const equals: Test = (column, value) => (value === null ? sql`${column} is null` : sql`${column} = ${plain(value)}`);
const notEquals: Test = (column, value) =>
  value === null ? sql`${column} is not null` : sql`${column} is not ${plain(value)}`;

const isThere: Test = (column) => sql`${column} is not null`;

const gte: Test = (column, value) => sql`${column} >= ${plain(value)}`;
const lte: Test = (column, value) => sql`${column} <= ${plain(value)}`;
const gt: Test = (column, value) => sql`${column} > ${plain(value)}`;
const lt: Test = (column, value) => sql`${column} < ${plain(value)}`;

const like: Test = (column, value) => sql`${column} glob ${pattern(String(value), "exact")}`;
const ilike: Test = (column, value) => sql`${column} glob ${pattern(String(value), "any-case")}`;
const contains: Test = (column, value) => sql`${column} glob ${substring(String(value))}`;
const notContains: Test = (column, value) => sql`(${contains(column, value)}) is not true`;

const TEXT = { equals, "not-equals": notEquals, like, ilike, contains, "not-contains": notContains };
const BOUNDS = { gte, lte, gt, lt };

/** The operators of each kind of field; the value has already been checked against the kind. */
export const OPERATORS: Readonly<Record<FieldKind, Readonly<Record<string, Test>>>> = {
  text: TEXT,
  number: { equals, "not-equals": notEquals, ...BOUNDS },
  timestamp: { equals, "not-equals": isThere, ...BOUNDS },
  boolean: { equals, "not-equals": isThere },
  contains: { contains },
  key: { equals },
};

/**
 * Operators that negate another one. For a field with several values (a property under two spellings, a list of assets), no
 * value may match the other operator.
 */
export const OPPOSITES: Readonly<Record<string, string>> = { "not-equals": "equals", "not-contains": "contains" };

/** Operators whose value is a pattern, whose length is therefore limited. */
export const PATTERN_OPERATORS: ReadonlySet<string> = new Set(["like", "ilike", "contains", "not-contains"]);

/** For these kinds the operator accepts only null, because every kind can be tested for presence. */
export const NULL_ONLY: Readonly<Partial<Record<FieldKind, string>>> = {
  timestamp: "not-equals",
  boolean: "not-equals",
};

/** Operators that accept null. */
export const NULL_OPERATORS: ReadonlySet<string> = new Set(["equals", "not-equals"]);

function plain(value: SqlValue | boolean): SqlValue {
  return typeof value === "boolean" ? Number(value) : value;
}
