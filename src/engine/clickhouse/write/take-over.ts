import type { ClickHouse } from "../client.ts";
import type { TableRow } from "../rows.ts";
import type { Layout } from "../tables.ts";
import { openRows } from "./find-rows.ts";
import { type RowUpdate, updateRows } from "./update.ts";
import { CHANGED_COLUMNS, type ChangedRow, merged } from "./update-records.ts";

/**
 * Copies changes that any node made to rows in flight to the finished records. Called after those are inserted and before the
 * rows in flight are removed: a later change finds the finished record.
 *
 * @param rows - the records as they were inserted.
 * @param relabelled - ids of records that keep the properties they were inserted with.
 */
export async function takeOverChanges(
  { client, layout }: { readonly client: ClickHouse; readonly layout: Layout },
  rows: readonly TableRow[],
  relabelled: ReadonlySet<string>,
): Promise<void> {
  if (rows.length === 0) return;
  const ids = rows.map((row) => String(row["request_id"]));
  const open = await openRows<ChangedRow>(client, ids, CHANGED_COLUMNS);
  const there = new Map(open.map((row) => [row.request_id, row]));
  const updates = rows.flatMap((row): RowUpdate[] => {
    const before = there.get(String(row["request_id"]));
    return before === undefined ? [] : [changed(before, row, relabelled.has(before.request_id))];
  });
  await updateRows(client, { table: "requests", layout }, updates);
}

function changed(open: ChangedRow, row: TableRow, isRelabelled: boolean): RowUpdate {
  const set: Record<string, string> = {};
  const properties = new Map<string, string | null>();
  const own = row["properties"] as Readonly<Record<string, string>>;
  for (const [name, value] of Object.entries(open.properties)) if (own[name] !== value) properties.set(name, value);
  for (const name of Object.keys(own)) if (!Object.hasOwn(open.properties, name)) properties.set(name, null);
  if (!isRelabelled && properties.size > 0) set["properties"] = merged("properties", properties);
  const scores = Object.entries(open.scores);
  if (scores.length > 0) set["scores"] = merged("scores", new Map(scores));
  if (open.feedback_id !== null) {
    for (const name of ["feedback_id", "feedback_rating", "feedback_created_at"] as const)
      set[name] = String(open[name]);
  }
  return { key: open, set };
}
