import type { PartitionedDay } from "../../../threads.ts";
import type { ClickHouse } from "../client.ts";
import { type Layout, localTable, onCluster } from "../tables.ts";

export const DAY_MS = 86_400_000;
const DROP_MS = 600_000;

/** SQL of a row's UTC day, counted from 1970. */
export const DAY = `intDiv(request_created_at, ${DAY_MS})`;

/** SQL that is true for rows of these UTC days. */
export function isOfDays(days: readonly number[]): string {
  return `request_created_at >= ${Math.min(...days) * DAY_MS} and request_created_at < ${(Math.max(...days) + 1) * DAY_MS}
    and ${DAY} in (${days.join(", ")})`;
}

/**
 * Drops days of finished records, except those of which other organizations have records as well.
 *
 * The writer of records calls it, so that it inserts none between the check and the drop. If another node imports a record of
 * another organization for such a day in this moment, it is dropped too.
 *
 * @returns the number of dropped days.
 */
export async function dropDays(client: ClickHouse, layout: Layout, days: readonly PartitionedDay[]): Promise<number> {
  const rows = await client.query<{ day: number; id: string }>(
    `select distinct ${DAY} as day, organization_id as id from requests where ${isOfDays(days.map(({ day }) => day))}`,
  );
  const found = Map.groupBy(rows, ({ day }) => day);
  const own = days.filter(({ day, organizationIds }) => {
    const allowed = new Set(organizationIds);
    return (found.get(day) ?? []).every(({ id }) => allowed.has(id));
  });
  await dropPartitions(client, layout, { table: "requests", days: own.map(({ day }) => day) });
  return own.length;
}

export async function dropPartitions(
  client: ClickHouse,
  layout: Layout,
  { table, days }: { readonly table: "requests" | "removed"; readonly days: readonly number[] },
): Promise<void> {
  if (days.length === 0) return;
  const drops = days.map((day) => {
    const partition = new Date(day * DAY_MS).toISOString().slice(0, 10).replaceAll("-", "");
    return `drop partition ${partition}`;
  });
  await client.command(`alter table ${localTable(table, layout)}${onCluster(layout)} ${drops.join(", ")}`, {
    deadlineMs: DROP_MS,
    // By default a server refuses to drop a partition of more than 50 GB.
    settings: { max_partition_size_to_drop: 0 },
  });
}
