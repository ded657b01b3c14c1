import type { ClickHouse } from "../client.ts";
import type { TableRow } from "../rows.ts";
import type { Layout } from "../tables.ts";
import { openRows } from "./find-rows.ts";
import { type RowUpdate, updateRows } from "./update.ts";
import { CHANGED_COLUMNS, type ChangedRow, merged } from "./update-records.ts";

/**
 * Gives finished records what was changed in their rows while they were in flight, through whichever node. It comes after
 * their insert and before their rows in flight go: a change that comes later finds the finished record.
 *
 * @param rows - the records as they were inserted.
 * @param relabelled - ids of those that keep the properties they were inserted with.
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
