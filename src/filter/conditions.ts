import { kindColumn, ofRowOrKind } from "../record/kinds.ts";
import type { Printed } from "./junctions.ts";
import { type Bind, OPERATORS, OPPOSITES } from "./operators.ts";
import type { PrintOptions } from "./print-options.ts";
import { erasedSql, memberSql, propertyName } from "./property-names.ts";
import type { Condition } from "./tree.ts";
import { anyCase } from "./wildcards.ts";

/** Parser symbols that a comparison and one inside a subquery take at most. */
const PLAIN_COST = 9;
const SUBQUERY_COST = 20;

/** The same condition, never null: so that "not" can be asked of it. */
export function strict({ sql, cost }: Printed): Printed {
  return { sql: `${sql} is true`, cost };
}

/** SQL that says whether a value fits; the value is an SQL expression, possibly null. */
type Fits = (value: string) => string;

/**
 * SQL of one condition over the row `r`. Alone it may be null where a value is missing; that lets the planner use an
 * index.
 */
export function conditionSql(condition: Condition, options: PrintOptions): Printed {
  const { parameters, body } = options;
  const { bind } = parameters;
  const { source, operator, value } = condition;
  if (source.from === "row") {
    const sql = anyValue(condition, fits(condition, operator, bind), options);
    return { sql, cost: kindColumn(source.sql) === undefined ? PLAIN_COST : SUBQUERY_COST };
  }
  if (source.from === "body") {
    if (body === undefined) throw new TypeError("a filter on bodies cannot be one statement");
    return { sql: body(condition, bind), cost: SUBQUERY_COST };
  }
  if (source.from === "property_key") {
    if (value === null) return { sql: "r.properties = '{}'", cost: PLAIN_COST };
    const key: Condition = {
      ...condition,
      source: { from: "properties", kind: 0, names: "exact" },
      name: String(value),
    };
    return { sql: anyValue(key, isThere, options), cost: SUBQUERY_COST };
  }
  return { sql: overValues(condition, options), cost: SUBQUERY_COST };
}

/**
 * A condition on something that may be there several times (a property under two spellings, a list) or not at all: one
 * value must fit; for the negative operators none may fit their opposite.
 */
function overValues(condition: Condition, options: PrintOptions): string {
  const { bind } = options.parameters;
  const { operator, value } = condition;
  if (value === null) {
    const some = anyValue(condition, isThere, options);
    return operator === "equals" ? `(${some}) is not true` : some;
  }
  const opposite = OPPOSITES[operator];
  if (opposite === undefined) return anyValue(condition, fits(condition, operator, bind), options);
  return `(${anyValue(condition, fits(condition, opposite, bind), options)}) is not true`;
}

/** SQL that is true where any value that a condition speaks of fits. */
export function anyValue(condition: Condition, fit: Fits, { parameters, asksKinds }: PrintOptions): string {
  const { bind } = parameters;
  const { source, name = "" } = condition;
  switch (source.from) {
    case "row": {
      const column = asksKinds ? kindColumn(source.sql) : undefined;
      return column === undefined ? fit(source.sql) : ofRowOrKind(column, fit);
    }
    case "assets":
      return `exists (select 1 from json_each(r.assets) v where ${fit("v.value")})`;
    case "scores":
      // In floating point, as clients compare: JSON's larger integers would keep digits that no client sends.
      return fit(`(${memberSql("r.scores", name, bind)} + 0.0)`);
    case "properties": {
      const column = source.kind === 0 ? "r.properties" : "r.prompt_inputs";
      if (source.names === "any-case") {
        return `exists (select 1 from json_each(${column}) v where v.key glob ${bind(anyCase(name))} and ${fit("v.value")})`;
      }
      return propertyValue(column, source.kind, name, { fit, bind });
    }
    default:
      throw new TypeError(`a ${source.from} has no values in SQL`);
  }
}

/**
 * The JSON beside the row has names and values; only the table knows which names lost their case, and is asked only
 * for rows that have such a name. Thousands of conditions then stay as many function calls, not as many cursors, whose
 * cost is quadratic in SQLite.
 */
function propertyValue(column: string, kind: 0 | 1, name: string, { fit, bind }: { fit: Fits; bind: Bind }): string {
  const { exact, erased } = propertyName(name);
  const own = fit(memberSql(column, exact, bind));
  if (erased === undefined) return own;
  const other = fit(memberSql(column, erased, bind));
  // Not "or" and "and": those ask everything, also what no longer matters, wherever their value is wanted.
  return `case when ${own} then 1 when ${other} then ${erasedSql(erased, kind, bind)} else 0 end`;
}

const isThere: Fits = (value) => `${value} is not null`;

function fits({ valueKind, value }: Condition, operator: string, bind: Bind): Fits {
  return (column) => OPERATORS[valueKind][operator]!(column, value, bind);
}
