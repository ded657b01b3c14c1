import type { Act } from "../../people/actions.ts";
import type { Acting } from "../../people/actor.ts";
import { recorded } from "../audit/recorded.ts";
import { forgetCalls } from "../earlier-responses/call-states.ts";
import { forgetJudgements } from "../judges/judgements.ts";
import { forgetReviewed } from "../reviews/reviews.ts";
import { uncount } from "../sizes/sums.ts";
import type { Database, Statement, Store } from "../store.ts";
import { removeWords } from "../words/remove.ts";

/** Records per transaction: few enough that the lock is not noticed. */
const STEP_ROWS = 500;
/** Ids listed in one entry of the audit log. */
const IDS_SHOWN = 20;

/** Who wants records removed, and the filter or ids they gave. */
export interface RemovalOrder {
  readonly by: Acting;
  readonly selection?: unknown;
}

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

interface RemovedStep {
  readonly organizationId: string;
  readonly requestIds: readonly string[];
  /** Run in the same transaction. */
  readonly statements?: readonly Statement[];
  readonly order: RemovalOrder | undefined;
}

/** Deletes what the libSQL database stores about these records, whichever database holds the records, and logs who ordered it. */
export async function removeBeside(
  records: Database,
  { organizationId, requestIds, statements = [], order }: RemovedStep,
): Promise<void> {
  const ids = JSON.stringify(requestIds);
  const all = [
    ...statements,
    forgetCalls(ids),
    { sql: "delete from comments where request_id in (select value from json_each(?))", args: [ids] },
    { sql: "delete from ratings where request_id in (select value from json_each(?))", args: [ids] },
    forgetJudgements(ids),
    ...forgetReviewed(ids),
    { sql: "delete from spans where request_id in (select value from json_each(?))", args: [ids] },
    { sql: "delete from shared_links where subject in (select value from json_each(?))", args: [ids] },
  ];
  if (order === undefined) await records.batch(all);
  else await recorded(records, all, order.by, actOf(organizationId, requestIds, order.selection));
}

/** One audit entry per step: the number of records and the first ids. */
function actOf(organizationId: string, requestIds: readonly string[], selection: unknown): Act {
  const ids = requestIds.slice(0, IDS_SHOWN);
  const [only] = requestIds.length === 1 ? ids : [];
  return {
    action: "records.deleted",
    organizationId,
    object: { kind: only === undefined ? "records" : "record", id: only ?? "", name: "" },
    before: { records: requestIds.length, ids },
    ...(selection !== undefined && { after: { asked: selection } }),
  };
}
