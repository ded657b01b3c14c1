import { patiently } from "../database/patiently.ts";
import type { Database } from "../store.ts";

const DAY_MS = 86_400_000;
/** Entries that one transaction removes. */
const STEP_ROWS = 2_000;

/**
 * Removes the oldest entries of the audit log, as far as all of them are older than so many days. The hash of the last one
 * stays, for the chain to continue from.
 *
 * @param days - 0 keeps all.
 * @returns how many were removed.
 */
export async function removeOldEntries(
  records: Database,
  days: number,
  now: number,
  pause: () => Promise<void>,
): Promise<number> {
  if (days === 0) return 0;
  let removed = 0;
  for (;;) {
    const sql = `select seq, hash from audit where seq = (select max(seq) from (select seq from audit
      where seq < coalesce((select min(seq) from audit where time >= ?), 9223372036854775807) order by seq limit ${STEP_ROWS}))`;
    const [last] = await records.query<{ seq: number; hash: string }>({ sql, args: [now - days * DAY_MS] });
    if (last === undefined) return removed;
    const [counted] = await records.query<{ n: number }>({
      sql: "select count(*) as n from audit where seq <= ?",
      args: [last.seq],
    });
    await patiently(() =>
      records.batch([
        {
          sql: "update audit_chain set removed_seq = ?1, removed_hash = ?2 where removed_seq < ?1",
          args: [last.seq, last.hash],
        },
        { sql: "delete from audit where seq <= ?", args: [last.seq] },
      ]),
    );
    removed += counted!.n;
    await pause();
  }
}
