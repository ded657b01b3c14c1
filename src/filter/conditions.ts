import { kindColumn } from "../record/kinds.ts";
import { scoreSql } from "./group-by.ts";
import type { Printed } from "./junctions.ts";
import { OPERATORS, OPPOSITES } from "./operators.ts";
import type { PrintOptions } from "./print-options.ts";
import { erasedSql, memberSql, propertyName } from "./property-names.ts";
import { raw, type Sql, sql } from "./sql.ts";
import type { Condition } from "./tree.ts";
import { anyCase } from "./wildcards.ts";

/** Maximum parser symbols of a comparison, and of one inside a subquery. */
const PLAIN_COST = 9;
const SUBQUERY_COST = 20;

/** The same condition, never null, so that it can be negated. */
export function strict({ sql: test, cost }: Printed): Printed {
  return { sql: sql`${test} is true`, cost };
}

/** SQL that is true if a value matches; the value is an SQL expression, possibly null. */
type Fits = (value: Sql) => Sql;

/** SQL of one condition over the row `r`. It may be null if a value is missing; that lets the planner use an index. */
export function conditionSql(condition: Condition, options: PrintOptions): Printed {
  const { body } = options;
  const { source, operator, value } = condition;
  if (source.from === "row") {
    const test = anyValue(condition, fits(condition, operator), options);
    return { sql: test, cost: kindColumn(source.sql) === undefined ? PLAIN_COST : SUBQUERY_COST };
  }
  if (source.from === "body") {
    if (body === undefined) throw new TypeError("a filter on bodies cannot be one statement");
    return { sql: body(condition), cost: SUBQUERY_COST };
  }
  if (source.from === "property_key") {
    if (value === null) return { sql: sql`r.properties = '{}'`, cost: PLAIN_COST };
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
 * A condition on something with any number of values: a property under two spellings, or a list. One value must match; for a
 * negative operator, no value may match its opposite.
 */
function overValues(condition: Condition, options: PrintOptions): Sql {
  const { operator, value } = condition;
  if (value === null) {
    const some = anyValue(condition, isThere, options);
    return operator === "equals" ? sql`(${some}) is not true` : some;
  }
  const opposite = OPPOSITES[operator];
  if (opposite === undefined) return anyValue(condition, fits(condition, operator), options);
  return sql`(${anyValue(condition, fits(condition, opposite), options)}) is not true`;
}

/** SQL that is true if any value of a condition's field matches. */
export function anyValue(condition: Condition, fit: Fits, { asksKinds }: PrintOptions): Sql {
  const { source, name = "" } = condition;
  switch (source.from) {
    case "row": {
      const column = asksKinds ? kindColumn(source.sql) : undefined;
      return column === undefined ? fit(raw(source.sql)) : ofRowOrKind(column, fit);
    }
    case "assets":
      return sql`exists (select 1 from json_each(r.assets) v where ${fit(raw("v.value"))})`;
    case "scores":
      // In floating point, as clients compare: JSON's larger integers would keep digits that no client sends.
      return fit(scoreSql(name));
    case "properties": {
      const column = source.kind === 0 ? "r.properties" : "r.prompt_inputs";
      if (source.names === "any-case") {
        return sql`exists (select 1 from json_each(${raw(column)}) v where v.key glob ${anyCase(name)} and ${fit(raw("v.value"))})`;
      }
      return propertyValue(column, source.kind, name, fit);
    }
    default:
      throw new TypeError(`a ${source.from} has no values in SQL`);
  }
}

/**
 * A test on a column whose value may be in the row's shared `kinds` row. It does not read a kind per row: kinds are few, and
 * the matching ones are looked up once. The quotes make `withKinds` use the row's own column.
 */
function ofRowOrKind(column: string, fit: Fits): Sql {
  const ofKinds = sql`select k.id from kinds k where ${fit(raw(`k.${column}`))}`;
  return sql`case when r.kind is null then ${fit(raw(`r."${column}"`))} else r.kind in (${ofKinds}) end`;
}

/**
 * The JSON in the row has names and values. Only the table knows which names lost their case, so it is queried only for rows
 * with such a name. Thousands of conditions then cost as many function calls, not as many cursors, whose cost is quadratic
 * in SQLite.
 */
function propertyValue(column: string, kind: 0 | 1, name: string, fit: Fits): Sql {
  const { exact, erased } = propertyName(name);
  const own = fit(memberSql(column, exact));
  if (erased === undefined) return own;
  const other = fit(memberSql(column, erased));
  // Not "or" and "and": if their value is needed, those evaluate every operand, even if it no longer matters.
  return sql`case when ${own} then 1 when ${other} then ${erasedSql(erased, kind)} else 0 end`;
}

const isThere: Fits = (value) => sql`${value} is not null`;

function fits({ valueKind, value }: Condition, operator: string): Fits {
  return (column) => OPERATORS[valueKind][operator]!(column, value);
}
