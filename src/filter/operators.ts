import type { Kind } from "./fields.ts";
import { pattern, substring } from "./wildcards.ts";

/**
 * A test in SQL over one value.
 *
 * @param column - SQL that gives the value, null where it is missing.
 * @param bind - takes a value and answers the parameter that stands for it.
 */
export type Test = (column: string, value: string | number | boolean | null, bind: Bind) => string;
export type Bind = (value: string | number | null) => string;

// `is` and `is not` are the null-safe `=` and `<>`: a record without a model is "not equal" to every model.
const equals: Test = (column, value, bind) =>
  value === null ? `${column} is null` : `${column} = ${bind(plain(value))}`;
const notEquals: Test = (column, value, bind) =>
  value === null ? `${column} is not null` : `${column} is not ${bind(plain(value))}`;

const isThere: Test = (column) => `${column} is not null`;

const compare =
  (sign: ">=" | "<=" | ">" | "<"): Test =>
  (column, value, bind) =>
    `${column} ${sign} ${bind(plain(value))}`;

const like: Test = (column, value, bind) => `${column} glob ${bind(pattern(String(value), "exact"))}`;
const ilike: Test = (column, value, bind) => `${column} glob ${bind(pattern(String(value), "any-case"))}`;
const contains: Test = (column, value, bind) => `${column} glob ${bind(substring(String(value)))}`;
const notContains: Test = (column, value, bind) => `(${contains(column, value, bind)}) is not true`;

const TEXT = { equals, "not-equals": notEquals, like, ilike, contains, "not-contains": notContains };
const BOUNDS = { gte: compare(">="), lte: compare("<="), gt: compare(">"), lt: compare("<") };

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

function plain(value: string | number | boolean | null): string | number | null {
  return typeof value === "boolean" ? Number(value) : value;
}
