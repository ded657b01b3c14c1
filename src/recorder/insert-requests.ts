import { getTableColumns } from "drizzle-orm";
import { requests } from "../record/tables.ts";
import type { Statement, Value } from "../store/store.ts";
import { REQUEST_COLUMNS, type RequestRow } from "./row.ts";
import { type Insert, insertInto, insertRows } from "./statements.ts";

/** Sets of columns whose statements are kept. Traffic of one kind needs one or two. */
const SETS_MAX = 16;

/** What a column holds where an insert does not name it. */
const DEFAULTS = Object.fromEntries(
  Object.entries(getTableColumns(requests)).map(([name, column]) => [name, column.default ?? null]),
) as Record<keyof RequestRow, Value>;
const sets = new Map<string, Insert>();

export interface NumberedRow {
  readonly seq: number;
  readonly row: RequestRow;
}

/**
 * Statements that insert these rows. Of the columns only those are named that hold more than their default in some row:
 * half of them, and each value costs more to hand over to the database than to write.
 */
export function insertRequests(rows: readonly NumberedRow[], into: Statement[]): void {
  if (rows.length === 0) return;
  const named = REQUEST_COLUMNS.filter((column) => {
    const standard = DEFAULTS[column];
    return rows.some(({ row }) => (row[column] ?? standard) !== standard);
  });
  const values: Value[] = [];
  for (const { seq, row } of rows) {
    values.push(seq);
    for (const column of named) values.push(row[column] ?? DEFAULTS[column]);
  }
  insertRows(insertOf(["seq", ...named]), values, into);
}

function insertOf(columns: readonly string[]): Insert {
  const key = columns.join();
  const known = sets.get(key);
  if (known !== undefined) return known;
  if (sets.size >= SETS_MAX) sets.delete(sets.keys().next().value!);
  const insert = insertInto("requests", columns, "on conflict (request_id) do nothing");
  sets.set(key, insert);
  return insert;
}
