import { type RemovalOrder, removeBeside } from "../../../store/retention/remove-beside.ts";
import { uncount } from "../../../store/sizes/sums.ts";
import type { Store } from "../../../store/store.ts";
import { removeWords } from "../../../store/words/remove.ts";

/** Records per transaction: few enough that the lock is not noticed. */
const STEP_ROWS = 500;

/**
 * Deletes records of one organization with everything that only they refer to. Only the writer of records may call it:
 * elsewhere it could delete content that a new record is about to share.
 *
 * Records in flight are skipped, because their end still updates them. Records are deleted before bodies, so that none is
 * ever seen without its body; a crash can only leave bodies without a record. The bytes of bodies are erased later, by
 * `sweep`.
 *
 * @param requestIds - in lower case; ids of other organizations are ignored.
 * @param order - for the audit log; retention has one entry for each run instead.
 * @returns number of deleted records.
 */
export async function removeRecords(
  store: Store,
  organizationId: string,
  requestIds: readonly string[],
  order?: RemovalOrder,
): Promise<number> {
  let removed = 0;
  for (let at = 0; at < requestIds.length; at += STEP_ROWS) {
    removed += await removeStep(store, organizationId, requestIds.slice(at, at + STEP_ROWS), order);
  }
  return removed;
}

async function removeStep(
  { records, bodies, content }: Store,
  organizationId: string,
  requestIds: readonly string[],
  order: RemovalOrder | undefined,
): Promise<number> {
  const found = await records.query<{ seq: number; request_id: string }>({
    // The plus keeps SQLite from using the organization's index, which would scan all its records for a few ids.
    sql: `select seq, request_id from requests
      where request_id in (select value from json_each(?)) and +organization_id = ? and response_status is not null`,
    args: [JSON.stringify(requestIds), organizationId],
  });
  if (found.length === 0) return 0;
  const numbers = found.map(({ seq }) => seq);
  const seqs = JSON.stringify(numbers);
  const statements = [
    uncount(seqs),
    { sql: "delete from properties where seq in (select value from json_each(?))", args: [seqs] },
    { sql: "delete from requests where seq in (select value from json_each(?))", args: [seqs] },
  ];
  const requests = found.map(({ request_id }) => request_id);
  await removeBeside(records, { organizationId, requestIds: requests, statements, order });
  await content.remove(requests);
  await removeWords(bodies, numbers);
  return found.length;
}
