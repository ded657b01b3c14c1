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
  return insertShaped(table, columns, { width: columns.length, rowsOf: () => row }, conflict);
}

/** What one record puts into a table where that takes several rows, or values that are always the same. */
export interface Shape {
  /** Values that are bound for each record. */
  readonly width: number;
  /** The rows, with numbered parameters that begin after the first `bound`. */
  readonly rowsOf: (bound: number) => string;
}

/** As `insertInto`, for records of one shape: the fewer values are bound, the cheaper. */
export function insertShaped(
  table: string,
  columns: readonly string[],
  { width, rowsOf }: Shape,
  conflict: string,
): Insert {
  const start = `insert into ${table} (${columns.map(quoted).join(",")}) values `;
  const text = (records: number) => Array.from({ length: records }, (_, index) => rowsOf(index * width)).join(",");
  return { width, texts: new Map(ROWS.map((records) => [records, `${start}${text(records)} ${conflict}`])) };
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
