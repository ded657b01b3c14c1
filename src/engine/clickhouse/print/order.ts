import type { Position } from "../../../filter/cursor.ts";
import { propertyName } from "../../../filter/property-names.ts";
import type { Sort, SortKey } from "../../../filter/sort.ts";
import { type Columns, columnSql } from "./columns.ts";
import { MAPS, namedValue, type Values } from "./values.ts";

interface OrderOptions {
  readonly values: Values;
  readonly columns: Columns;
}

/** SQL of a sort key's value over the row `r`. */
export function keySql({ label, sql }: SortKey, options: OrderOptions): string {
  const { bind } = options.values;
  const dot = label.indexOf(".");
  if (dot === -1) return columnSql(sql(bind), options);
  const map = MAPS[label.startsWith("values.") ? 1 : 0];
  return namedValue(map, propertyName(label.slice(dot + 1)), bind);
}

/** SQL of the columns `k0`, `k1` and so on, each with a comma before it. */
export function keyColumns(sort: Sort, options: OrderOptions): string {
  return sort === "random" ? "" : sort.map((key, index) => `, ${keySql(key, options)} as k${index}`).join("");
}

/** SQL after "order by", over these columns. */
export function orderSql(sort: Sort): string {
  if (sort === "random") return "rand()";
  return [
    ...sort.map(({ direction }, index) => `k${index} ${direction} nulls last`),
    `r.request_id ${sort[0]!.direction}`,
  ].join(", ");
}

/**
 * SQL for "after this row": some key decides, and all keys before it are equal. Nulls come last in either direction, so
 * nothing but the next keys can come after a null.
 */
export function afterSql({ values, requestId }: Position, sort: readonly SortKey[], options: OrderOptions): string {
  const { bind } = options.values;
  const equal: string[] = [];
  const ways: string[] = [];
  for (const [index, key] of sort.entries()) {
    const column = keySql(key, options);
    const value = values[index] ?? null;
    if (value !== null) {
      const beyond = `${column} ${key.direction === "asc" ? ">" : "<"} ${bind(value)}`;
      ways.push([...equal, key.nullable ? `(${beyond} or isNull(${column}))` : beyond].join(" and "));
    }
    equal.push(value === null ? `isNull(${column})` : `${column} = ${bind(value)}`);
  }
  ways.push([...equal, `r.request_id ${sort[0]!.direction === "asc" ? ">" : "<"} ${bind(requestId)}`].join(" and "));
  return `(${ways.map((way) => `(${way})`).join(" or ")})`;
}
