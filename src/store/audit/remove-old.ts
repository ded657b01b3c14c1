import { eq, gte, lt, lte, sql } from "drizzle-orm";
import { audit, auditChain } from "../../record/tables.ts";
import { over } from "../database/builder.ts";
import { patiently } from "../database/while-locked.ts";
import type { Database } from "../store.ts";

const DAY_MS = 86_400_000;
/** Entries removed per transaction. */
const STEP_ROWS = 2_000;

/**
 * Removes the oldest entries of the audit log, up to the first one that is younger than `days`. The hash of the last removed
 * entry stays, so that the chain continues from it.
 *
 * @param days - 0 keeps all.
 * @returns number of removed entries.
 */
export async function removeOldEntries(
  records: Database,
  days: number,
  now: number,
  pause: () => Promise<void>,
): Promise<number> {
  if (days === 0) return 0;
  const db = over(records);
  let removed = 0;
  for (;;) {
    const kept = sql`(select min(seq) from ${audit} where ${gte(audit.time, now - days * DAY_MS)})`;
    const step = sql`(select max(seq) from (select seq from ${audit}
      where seq < coalesce(${kept}, 9223372036854775807) order by seq limit ${STEP_ROWS}))`;
    const last = await db.select().from(audit).where(eq(audit.seq, step)).get();
    if (last === undefined) return removed;
    const old = lte(audit.seq, last.seq);
    const count = await db.$count(audit, old);
    const removal = { removed_seq: last.seq, removed_hash: last.hash };
    const advance = db.update(auditChain).set(removal).where(lt(auditChain.removed_seq, last.seq));
    await patiently(() => db.batch([advance, db.delete(audit).where(old)]));
    removed += count;
    await pause();
  }
}
