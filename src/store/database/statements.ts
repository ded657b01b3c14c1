import type { Statement, Value } from "./database.ts";

/** Rows per statement, largest first: few texts, so that each statement is prepared once and stays cached. */
const ROWS = [32, 8, 1] as const;

/** Inserts rows of one table; the statement texts are built once. */
export interface Insert {
  readonly width: number;
  readonly texts: ReadonlyMap<number, string>;
}

/** @param conflict - the clause after the values, such as `on conflict do nothing`. */
export function insertInto(table: string, columns: readonly string[], conflict: string): Insert {
  const start = `insert into ${table} (${columns.map(quoted).join(",")}) values `;
  const row = `(${columns.map(() => "?").join(",")})`;
  const text = (rows: number) => `${start}${Array.from({ length: rows }, () => row).join(",")} ${conflict}`;
  return { width: columns.length, texts: new Map(ROWS.map((rows) => [rows, text(rows)])) };
}

/** Number of rows in a statement of `insertShared`. */
export const SHARED_ROWS = 32;

interface SharedShape {
  readonly table: string;
  /** Columns that have the same value in all rows; these values are bound first, once. */
  readonly shared: readonly string[];
  /** The other columns, whose values are bound row by row. */
  readonly own: readonly string[];
  /** The clause after the values. */
  readonly conflict: string;
}

/** A statement for `SHARED_ROWS` rows that have some of their values in common. */
export function insertShared({ table, shared, own, conflict }: SharedShape): string {
  const common = shared.map((_, at) => `?${at + 1}`).join(",");
  const row = (_: unknown, index: number) => {
    const bound = shared.length + index * own.length;
    return `(${common},${own.map((_column, at) => `?${bound + at + 1}`).join(",")})`;
  };
  const rows = Array.from({ length: SHARED_ROWS }, row).join(",");
  return `insert into ${table} (${[...shared, ...own].map(quoted).join(",")}) values ${rows} ${conflict}`;
}

/** Builds statements for any number of rows; `values` holds their values row after row. */
export function insertRows({ width, texts }: Insert, values: readonly Value[], into: Statement[]): void {
  let at = 0;
  for (const rows of ROWS) {
    for (; at + rows * width <= values.length; at += rows * width) {
      into.push({ sql: texts.get(rows)!, args: values.slice(at, at + rows * width), hasTypedNumbers: true });
    }
  }
}

/** Quotes a name: `offset`, for example, is an SQL keyword. */
export function quoted(name: string): string {
  return `"${name}"`;
}
