import { printTree } from "../../../filter/compile.ts";
import type { Dialect, ListOperator } from "../../../filter/dialect.ts";
import type { Printed } from "../../../filter/junctions.ts";
import { OPPOSITES } from "../../../filter/operators.ts";
import { propertyName } from "../../../filter/property-names.ts";
import type { Condition, FilterTree } from "../../../filter/tree.ts";
import { anyCase, pattern, substring } from "../../../filter/wildcards.ts";
import { mergedBounds } from "./bounds.ts";
import { type Columns, columnSql } from "./columns.ts";
import { regexOf } from "./patterns.ts";
import { simplified } from "./simplify.ts";
import { hasErased, hasName, MAPS, scoreValue, type Values } from "./values.ts";

export interface FilterOptions {
  readonly values: Values;
  readonly columns: Columns;
  /** What stands in place of a test on a body. */
  readonly body?: (condition: Condition) => string;
}

/** SQL over one value, given as SQL; null where the value is. */
type Fits = (value: string) => string;

/**
 * A filter as a condition over a row `r`. Every value is spelt by `values`.
 *
 * @returns SQL that is true for the rows that the filter selects, and false or null for the others.
 */
export function filterSql(tree: FilterTree, options: FilterOptions): string {
  const dialect: Dialect = {
    listsNumbers: true,
    condition: (condition) => printed(conditionSql(condition, options)),
    list: (conditions, operator) => printed(listSql(conditions, operator, options)),
    strict: ({ sql, cost }) => ({ sql: `ifNull(${sql}, 0)`, cost }),
  };
  return printTree(mergedBounds(simplified(tree)), dialect);
}

/** The parser has no stack to run out of: terms are nested alike, whatever they are. */
const printed = (sql: string): Printed => ({ sql: `(${sql})`, cost: 9 });

function conditionSql(condition: Condition, options: FilterOptions): string {
  const { source, operator, value } = condition;
  if (source.from === "row") return fits(condition, operator, options)(columnSql(source.sql, options));
  if (source.from === "body") {
    if (options.body === undefined) throw new TypeError("a filter on bodies cannot be one statement");
    return options.body(condition);
  }
  if (source.from === "property_key") {
    if (value === null) return "empty(r.properties)";
    const properties = { from: "properties", kind: 0, names: "exact" } as const;
    return anyValue({ ...condition, source: properties, name: String(value) }, isThere, options);
  }
  if (value === null) {
    const some = anyValue(condition, isThere, options);
    return operator === "equals" ? `not (${some})` : some;
  }
  const opposite = OPPOSITES[operator];
  return opposite === undefined
    ? anyValue(condition, fits(condition, operator, options), options)
    : `not (${anyValue(condition, fits(condition, opposite, options), options)})`;
}

/** Whether one value is among, or the value is not among, those of several conditions. */
function listSql(
  conditions: readonly [Condition, ...Condition[]],
  operator: ListOperator,
  options: FilterOptions,
): string {
  const [first] = conditions;
  const values = conditions.map(({ value }) => options.values.bind(value as string | number)).join(", ");
  const isAmong: Fits = (value) => `${value} in (${values})`;
  const found =
    first.source.from === "row" ? isAmong(columnSql(first.source.sql, options)) : anyValue(first, isAmong, options);
  return operator === "equals" ? found : `not ifNull(${found}, 0)`;
}

/** SQL that is true where any value that a condition speaks of fits; never null. */
function anyValue({ source, name = "" }: Condition, fit: Fits, { values: { bind } }: FilterOptions): string {
  switch (source.from) {
    case "assets":
      return `arrayExists(v -> ${fit("v")}, r.assets)`;
    case "scores":
      return `ifNull(${fit(scoreValue(name, bind))}, 0)`;
    case "properties": {
      const map = MAPS[source.kind];
      if (source.names === "any-case") {
        const named = `match(k, ${bind(regexOf(anyCase(name)))})`;
        return `arrayExists((k, v) -> ${named} and ${fit("v")}, mapKeys(${map.values}), mapValues(${map.values}))`;
      }
      const { exact, erased } = propertyName(name);
      const own = `${hasName(map, exact, bind)} and ${fit(`${map.values}[${bind(exact)}]`)}`;
      if (erased === undefined) return own;
      return `(${own}) or (${hasErased(map, erased, bind)} and ${fit(`${map.values}[${bind(erased)}]`)})`;
    }
    default:
      throw new TypeError(`a ${source.from} has no values of its own`);
  }
}

const isThere: Fits = (value) => `isNotNull(${value})`;

const SIGNS: Readonly<Record<string, string>> = { gte: ">=", lte: "<=", gt: ">", lt: "<" };

function fits({ value, valueKind }: Condition, operator: string, { values: { bind } }: FilterOptions): Fits {
  const text = String(value);
  const matches = (glob: string): Fits => {
    const regex = regexOf(glob);
    return (column) => `match(${column}, ${bind(regex)})`;
  };
  switch (operator) {
    case "equals":
      return value === null ? (column) => `isNull(${column})` : (column) => `${column} = ${bind(plain(value))}`;
    case "not-equals":
      return value === null || valueKind === "boolean" || valueKind === "timestamp"
        ? isThere
        : (column) => `ifNull(${column} != ${bind(plain(value))}, 1)`;
    case "like":
      return matches(pattern(text, "exact"));
    case "ilike":
      return matches(pattern(text, "any-case"));
    case "contains":
      return matches(substring(text));
    case "not-contains": {
      const contains = matches(substring(text));
      return (column) => `not ifNull(${contains(column)}, 0)`;
    }
    default:
      return (column) => `${column} ${SIGNS[operator]} ${bind(plain(value))}`;
  }
}

function plain(value: string | number | boolean | null): string | number | null {
  return typeof value === "boolean" ? Number(value) : value;
}
