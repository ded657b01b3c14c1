import type { Deadline } from "../database/deadline.ts";
import type { Database, Statement } from "../store.ts";

const DAY_MS = 86_400_000;
/** Records counted per step. */
const STEP_RECORDS = 5_000;
/** At most this many uncounted records at the end are summed on demand. */
const TAIL_RECORDS = 50_000;
/** Nodes that share a database write numbers that they reserved earlier, so records may still be added among the last ones. */
const UNSETTLED_RECORDS = 5_000;

const OF_RECORDS = `select request_created_at / ${DAY_MS} as day, organization_id, count(*) as records,
  sum(size_bytes) as bytes from requests`;

/**
 * Counts the next records, up to the first one in flight, whose size is not known yet. Only the recorder calls it.
 *
 * @returns number of records; 0 when all countable ones are counted.
 */
export async function countStep(records: Database, unsettled = UNSETTLED_RECORDS): Promise<number> {
  const [row] = await records.query<{ counted: number; last: number | null; n: number }>({
    sql: `select counted, max(seq) as last, count(*) as n from (
      select c.seq as counted, r.seq as seq from storage_counted c
      left join (select seq from requests where seq > (select seq from storage_counted)
        and seq <= (select coalesce(max(seq), 0) - ? from requests)
        and seq < coalesce((select min(seq) from requests where response_status is null), ${Number.MAX_SAFE_INTEGER})
        order by seq limit ${STEP_RECORDS}) r)`,
    args: [unsettled],
  });
  const { counted, last } = row!;
  if (last === null) return 0;
  await records.batch([
    {
      sql: `insert into storage_days (day, organization_id, records, bytes)
        ${OF_RECORDS} where seq > ? and seq <= ? group by 1, 2
        on conflict (day, organization_id) do update set
          records = records + excluded.records, bytes = bytes + excluded.bytes`,
      args: [counted, last],
    },
    { sql: "update storage_counted set seq = ?", args: [last] },
  ]);
  return row!.n;
}

/** Subtracts records from the sums, in the transaction that deletes them. @param seqs - JSON list. */
export function uncount(seqs: string): Statement {
  return {
    sql: `insert into storage_days (day, organization_id, records, bytes)
      select day, organization_id, -records, -bytes from (${OF_RECORDS}
        where seq in (select value from json_each(?)) and seq <= (select seq from storage_counted) group by 1, 2)
      where true on conflict (day, organization_id) do update set
        records = records + excluded.records, bytes = bytes + excluded.bytes`,
    args: [seqs],
  };
}

/** Number of records of one day, and the bytes of their bodies on the wire. */
export interface DaySum {
  readonly day: number;
  readonly organization_id: string;
  readonly records: number;
  readonly bytes: number;
}

export interface StorageSums {
  /** By day and organization, in no particular order. */
  readonly days: readonly DaySum[];
  /** Records not included: an earlier version wrote them, and they are still being counted. */
  readonly uncounted: number;
}

/** Stored records and bytes by day, for all organizations; records in flight count without bytes. */
export async function storageSums(records: Database, deadline: Deadline): Promise<StorageSums> {
  // One snapshot: otherwise records that are counted meanwhile would appear twice or not at all.
  const [days, tail, numbers] = (await records.queryTogether(
    [
      { sql: "select day, organization_id, records, bytes from storage_days where records > 0", args: [] },
      {
        sql: `${OF_RECORDS} where seq in (select seq from requests where seq > (select seq from storage_counted)
          order by seq desc limit ${TAIL_RECORDS}) group by 1, 2`,
        args: [],
      },
      {
        sql: `select coalesce((select max(seq) from requests), 0) as newest, max(seq,
          coalesce((select min(seq) from requests), 1) - 1) as counted from storage_counted`,
        args: [],
      },
    ],
    deadline.rest(),
  )) as [DaySum[], DaySum[], { readonly newest: number; readonly counted: number }[]];
  const { newest, counted } = numbers[0]!;
  return { days: [...days, ...tail], uncounted: Math.max(0, newest - counted - TAIL_RECORDS) };
}
