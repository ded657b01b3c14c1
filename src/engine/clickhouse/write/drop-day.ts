import type { ClickHouse } from "../client.ts";
import { type Layout, localTable, onCluster } from "../tables.ts";

export const DAY_MS = 86_400_000;
const DROP_MS = 600_000;

/** SQL that is true for rows of a UTC day, counted from 1970. */
export function isOfDay(day: number): string {
  return `request_created_at >= ${day * DAY_MS} and request_created_at < ${(day + 1) * DAY_MS}`;
}

/**
 * Drops a day of finished records, unless other organizations have records of that day.
 *
 * The writer of records calls it, so that it inserts none between the check and the drop. If another node imports a record of
 * another organization for that day in this moment, it is dropped too.
 */
export async function dropDay(
  client: ClickHouse,
  layout: Layout,
  { day, organizationIds }: { readonly day: number; readonly organizationIds: readonly string[] },
): Promise<boolean> {
  const rows = await client.query<{ id: string }>(
    `select distinct organization_id as id from requests where ${isOfDay(day)}`,
  );
  const allowed = new Set(organizationIds);
  if (rows.some(({ id }) => !allowed.has(id))) return false;
  await dropPartition(client, layout, { table: "requests", day });
  return true;
}

export async function dropPartition(
  client: ClickHouse,
  layout: Layout,
  { table, day }: { readonly table: "requests" | "removed"; readonly day: number },
): Promise<void> {
  const partition = new Date(day * DAY_MS).toISOString().slice(0, 10).replaceAll("-", "");
  await client.command(`alter table ${localTable(table, layout)}${onCluster(layout)} drop partition ${partition}`, {
    deadlineMs: DROP_MS,
    // By default a server refuses to drop a partition of more than 50 GB.
    settings: { max_partition_size_to_drop: 0 },
  });
}
