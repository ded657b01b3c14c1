import type { Kind } from "./fields.ts";
import { type Sql, type SqlValue, sql } from "./sql.ts";
import { pattern, substring } from "./wildcards.ts";

/**
 * A test in SQL over one value.
 *
 * @param column - SQL that gives the value, null where it is missing.
 */
export type Test = (column: Sql, value: SqlValue | boolean) => Sql;

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

/** What each kind of field can be asked; the value has been checked against the kind before. */
export const OPERATORS: Readonly<Record<Kind, Readonly<Record<string, Test>>>> = {
  text: TEXT,
  number: { equals, "not-equals": notEquals, ...BOUNDS },
  timestamp: { equals, "not-equals": isThere, ...BOUNDS },
  boolean: { equals, "not-equals": isThere },
  contains: { contains },
  key: { equals },
};

/**
 * Operators that are the opposite of another one. On a value that may be there several times (a property under two
 * spellings, a list of assets) they ask that no value fits the other operator.
 */
export const OPPOSITES: Readonly<Record<string, string>> = { "not-equals": "equals", "not-contains": "contains" };

/** Operators whose value is a pattern, and which therefore have a length limit. */
export const PATTERN_OPERATORS: ReadonlySet<string> = new Set(["like", "ilike", "contains", "not-contains"]);

/** Of these kinds the operator takes nothing but null: that a value is there can be asked of every kind. */
export const NULL_ONLY: Readonly<Partial<Record<Kind, string>>> = { timestamp: "not-equals", boolean: "not-equals" };

/** Operators that take null. */
export const NULL_OPERATORS: ReadonlySet<string> = new Set(["equals", "not-equals"]);

function plain(value: SqlValue | boolean): SqlValue {
  return typeof value === "boolean" ? Number(value) : value;
}
