import { GAPS } from "../../../filter/outside-blocks.ts";
import type { Store } from "../../../store/store.ts";

/** More records without a block than a burst explains: metrics over them take seconds. */
export const WAITING_MAX = 250_000;

/** Number of records that are not in a block yet. */
export async function withoutBlock({ records }: Pick<Store, "records">): Promise<number> {
  const [row] = await records.query<{ n: number }>({
    // A subquery for each end: each takes one index step; a single one with both would scan.
    sql: `with ends as (select (select min(seq) from requests) as oldest, (select max(seq) from requests) as newest)
      select coalesce(newest - oldest + 1, 0) - coalesce((select sum(min(last_seq, newest) - max(first_seq, oldest) + 1)
        from blocks where last_seq >= oldest and first_seq <= newest), 0) as n from ends`,
    args: [],
  });
  return row?.n ?? 0;
}

/**
 * The time since which records have blocks, except for the newest, which wait for theirs: metrics before it are slower.
 * Undefined when all records have blocks, or none has.
 */
export async function heldSince({ records }: Pick<Store, "records">): Promise<number | undefined> {
  const [row] = await records.query<{ time: number }>({
    sql: `select r.request_created_at as time from requests r where r.seq > (
        select g.last from (${GAPS}) g where g.last < (select max(last_seq) from blocks)
          and exists (select 1 from requests s where s.seq between g.first and g.last)
        order by g.last desc limit 1)
      order by r.seq limit 1`,
    args: [],
  });
  return row?.time;
}

/** A message while so many records wait for blocks that metrics are slow; otherwise undefined. */
export async function saysWaiting(store: Pick<Store, "records">, least = Number.NEGATIVE_INFINITY) {
  const waiting = await withoutBlock(store);
  if (waiting <= WAITING_MAX) return undefined;
  const since = await heldSince(store);
  if (since !== undefined && least >= since) return undefined;
  const quick = since === undefined ? "" : `; metrics since ${new Date(since).toISOString()} are quick`;
  return `${waiting} records have no block yet, and metrics over them are right and slow${quick}`;
}
