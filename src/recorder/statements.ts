import type { Statement, Value } from "../store/store.ts";

/** Rows that go into one statement, largest first: few texts, so that each is prepared once and stays so. */
const ROWS = [32, 8, 1] as const;

/** A way to insert rows of one table; the texts are made once. */
export interface Insert {
  readonly width: number;
  readonly texts: ReadonlyMap<number, string>;
}

/** @param conflict - what follows the values, such as `on conflict do nothing`. */
export function insertInto(table: string, columns: readonly string[], conflict: string): Insert {
  const row = `(${columns.map(() => "?").join(",")})`;
  const start = `insert into ${table} (${columns.map(quoted).join(",")}) values `;
  return {
    width: columns.length,
    texts: new Map(ROWS.map((rows) => [rows, `${start}${Array(rows).fill(row).join(",")} ${conflict}`])),
  };
}

/** Statements for any number of rows whose values stand in `values` one after the other. */
export function insertRows({ width, texts }: Insert, values: readonly Value[], into: Statement[]): void {
  let at = 0;
  for (const rows of ROWS) {
    for (; at + rows * width <= values.length; at += rows * width) {
      into.push({ sql: texts.get(rows)!, args: values.slice(at, at + rows * width) });
    }
  }
}

/** `offset` and the like are words of SQL. */
export function quoted(name: string): string {
  return `"${name}"`;
}
