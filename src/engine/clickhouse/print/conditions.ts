import { printTree } from "../../../filter/compile.ts";
import type { Dialect, ListOperator } from "../../../filter/dialect.ts";
import type { Printed } from "../../../filter/junctions.ts";
import { OPPOSITES } from "../../../filter/operators.ts";
import { propertyName } from "../../../filter/property-names.ts";
import { join, print, raw, type Sql, sql } from "../../../filter/sql.ts";
import type { Condition, FilterTree } from "../../../filter/tree.ts";
import { anyCase, pattern, substring } from "../../../filter/wildcards.ts";
import { mergedBounds } from "./bounds.ts";
import { type Columns, columnSql } from "./columns.ts";
import { regexOf } from "./patterns.ts";
import { simplified } from "./simplify.ts";
import { hasErased, hasName, MAPS, scoreValue, type Values } from "./values.ts";

interface FilterOptions {
  readonly values: Values;
  readonly columns: Columns;
  /** SQL that replaces a test of a body. */
  readonly body?: (condition: Condition) => Sql;
}

/** SQL that tests one value, given as SQL; null when the value is null. */
type Fits = (value: Sql) => Sql;

/**
 * A filter as a condition over a row `r`. `values` writes every value.
 *
 * @returns SQL that is true for rows that the filter selects, and false or null for others.
 */
export function filterSql(tree: FilterTree, options: FilterOptions): string {
  const dialect: Dialect = {
    listsNumbers: true,
    condition: (condition) => printed(conditionSql(condition, options)),
    list: (conditions, operator) => printed(listSql(conditions, operator, options)),
    strict: ({ sql: test, cost }) => ({ sql: sql`ifNull(${test}, 0)`, cost }),
  };
  return print(printTree(mergedBounds(simplified(tree)), dialect), options.values.spell);
}

/** The parser has no stack that could overflow, so all terms have the same nesting cost. */
const printed = (test: Sql): Printed => ({ sql: sql`(${test})`, cost: 9 });

function conditionSql(condition: Condition, options: FilterOptions): Sql {
  const { source, operator, value } = condition;
  if (source.from === "row") return fits(condition, operator)(raw(columnSql(source.sql, options)));
  if (source.from === "body") {
    if (options.body === undefined) throw new TypeError("a filter on bodies cannot be one statement");
    return options.body(condition);
  }
  if (source.from === "property_key") {
    if (value === null) return sql`empty(r.properties)`;
    const properties = { from: "properties", kind: 0, names: "exact" } as const;
    return anyValue({ ...condition, source: properties, name: String(value) }, isThere);
  }
  if (value === null) {
    const some = anyValue(condition, isThere);
    return operator === "equals" ? sql`not (${some})` : some;
  }
  const opposite = OPPOSITES[operator];
  return opposite === undefined
    ? anyValue(condition, fits(condition, operator))
    : sql`not (${anyValue(condition, fits(condition, opposite))})`;
}

/** Whether a value is among those of several conditions, or not among them. */
function listSql(
  conditions: readonly [Condition, ...Condition[]],
  operator: ListOperator,
  options: FilterOptions,
): Sql {
  const [first] = conditions;
  const values = join(
    conditions.map(({ value }) => sql`${value as string | number}`),
    ", ",
  );
  const isAmong: Fits = (value) => sql`${value} in (${values})`;
  const found =
    first.source.from === "row" ? isAmong(raw(columnSql(first.source.sql, options))) : anyValue(first, isAmong);
  return operator === "equals" ? found : sql`not ifNull(${found}, 0)`;
}

/** SQL that is true when any of a condition's values matches; never null. */
function anyValue({ source, name = "" }: Condition, fit: Fits): Sql {
  switch (source.from) {
    case "assets":
      return sql`arrayExists(v -> ${fit(raw("v"))}, r.assets)`;
    case "scores":
      return sql`ifNull(${fit(scoreValue(name))}, 0)`;
    case "properties": {
      const map = MAPS[source.kind];
      if (source.names === "any-case") {
        const named = sql`match(k, ${regexOf(anyCase(name))})`;
        return sql`arrayExists((k, v) -> ${named} and ${fit(raw("v"))}, mapKeys(${map.values}), mapValues(${map.values}))`;
      }
      const { exact, erased } = propertyName(name);
      const own = sql`${hasName(map, exact)} and ${fit(sql`${map.values}[${exact}]`)}`;
      if (erased === undefined) return own;
      return sql`(${own}) or (${hasErased(map, erased)} and ${fit(sql`${map.values}[${erased}]`)})`;
    }
    default:
      throw new TypeError(`a ${source.from} has no values of its own`);
  }
}

const isThere: Fits = (value) => sql`isNotNull(${value})`;

const SIGNS: Readonly<Record<string, Sql>> = { gte: raw(">="), lte: raw("<="), gt: raw(">"), lt: raw("<") };

function fits({ value, valueKind }: Condition, operator: string): Fits {
  const text = String(value);
  const matches = (glob: string): Fits => {
    const regex = regexOf(glob);
    return (column) => sql`match(${column}, ${regex})`;
  };
  switch (operator) {
    case "equals":
      return value === null ? (column) => sql`isNull(${column})` : (column) => sql`${column} = ${plain(value)}`;
    case "not-equals":
      return value === null || valueKind === "boolean" || valueKind === "timestamp"
        ? isThere
        : (column) => sql`ifNull(${column} != ${plain(value)}, 1)`;
    case "like":
      return matches(pattern(text, "exact"));
    case "ilike":
      return matches(pattern(text, "any-case"));
    case "contains":
      return matches(substring(text));
    case "not-contains": {
      const contains = matches(substring(text));
      return (column) => sql`not ifNull(${contains(column)}, 0)`;
    }
    default:
      return (column) => sql`${column} ${SIGNS[operator]!} ${plain(value)}`;
  }
}

function plain(value: string | number | boolean | null): string | number | null {
  return typeof value === "boolean" ? Number(value) : value;
}
