import type { Deadline } from "../database/deadline.ts";
import type { Database, Statement } from "../store.ts";

const DAY_MS = 86_400_000;
/** Records that one step counts. */
const STEP_RECORDS = 5_000;
/** Records at the end that are not counted yet: so many are summed up when they are asked for, and no more. */
const TAIL_RECORDS = 50_000;
/** Of nodes on one database each writes numbers that it took before: the last ones may still get company. */
const UNSETTLED_RECORDS = 5_000;

const OF_RECORDS = `select request_created_at / ${DAY_MS} as day, organization_id, count(*) as records,
  sum(size_bytes) as bytes from requests`;

/**
 * Counts the next records, up to the first one in flight: its size is not known yet. Only the
 * recorder calls it.
 *
 * @returns how many there were; 0 once all are counted that can be.
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

/** Takes records out of the sums that are about to be deleted, in the same transaction. @param seqs - JSON list. */
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

/** Records of one day, and the bytes of their bodies on the wire. */
export interface DaySum {
  readonly day: number;
  readonly organization_id: string;
  readonly records: number;
  readonly bytes: number;
}

export interface StorageSums {
  /** By day and organization, in no order. */
  readonly days: readonly DaySum[];
  /** Records that are not in them: an earlier version wrote them, and they are being counted. */
  readonly uncounted: number;
}

/** What is stored by day, of all organizations; records in flight are counted without their bytes. */
export async function storageSums(records: Database, deadline: Deadline): Promise<StorageSums> {
  // All of it at one moment: what is counted meanwhile would be in both or in none.
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
