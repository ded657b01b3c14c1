import type { Position } from "../../../filter/cursor.ts";
import { propertyName } from "../../../filter/property-names.ts";
import type { Sort, SortKey } from "../../../filter/sort.ts";
import { join, print, raw, type Sql, sql } from "../../../filter/sql.ts";
import { type Columns, columnSql } from "./columns.ts";
import { MAPS, namedValue, type Values } from "./values.ts";

interface OrderOptions {
  readonly values: Values;
  readonly columns: Columns;
}

/** SQL of a sort key's value for row `r`. */
function keySql({ label, sql: column }: SortKey, options: OrderOptions): Sql {
  const dot = label.indexOf(".");
  if (dot === -1) return raw(columnSql(print(column, options.values.spell), options));
  const map = MAPS[label.startsWith("values.") ? 1 : 0];
  return namedValue(map, propertyName(label.slice(dot + 1)));
}

/** SQL of the columns `k0`, `k1` and so on, each with a comma before it. */
export function keyColumns(sort: Sort, options: OrderOptions): string {
  return sort === "random"
    ? ""
    : sort.map((key, index) => `, ${print(keySql(key, options), options.values.spell)} as k${index}`).join("");
}

/** SQL after "order by", over these columns. @param id - name of the record's id, which decides between equal ones. */
export function orderSql(sort: Sort, id = "r.request_id"): string {
  if (sort === "random") return "rand()";
  return [
    ...sort.map(({ direction }, index) => `k${index} ${direction} nulls last`),
    `${id} ${sort[0]!.direction}`,
  ].join(", ");
}

/**
 * SQL for "after this row": one key decides, and all keys before it are equal. Nulls come last in either direction, so after
 * a null only the next keys can decide.
 */
export function afterSql({ values, requestId }: Position, sort: readonly SortKey[], options: OrderOptions): string {
  const equal: Sql[] = [];
  const ways: Sql[] = [];
  for (const [index, key] of sort.entries()) {
    const column = keySql(key, options);
    const value = values[index] ?? null;
    if (value !== null) {
      const after = sql`${column} ${beyond(key)} ${value}`;
      ways.push(join([...equal, key.nullable ? sql`(${after} or isNull(${column}))` : after], " and "));
    }
    equal.push(value === null ? sql`isNull(${column})` : sql`${column} = ${value}`);
  }
  ways.push(join([...equal, sql`r.request_id ${beyond(sort[0]!)} ${requestId}`], " and "));
  return print(sql`((${join(ways, ") or (")}))`, options.values.spell);
}

/** The comparison for later values in the order of a key. */
const beyond = ({ direction }: SortKey): Sql => raw(direction === "asc" ? ">" : "<");
