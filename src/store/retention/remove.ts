import type { Act } from "../../people/actions.ts";
import type { Acting } from "../../people/actor.ts";
import { forgetCalls } from "../answers/call-states.ts";
import { recorded } from "../audit/recorded.ts";
import { forgetJudgements } from "../judges/judgements.ts";
import { forgetReviewed } from "../reviews/reviews.ts";
import { uncount } from "../sizes/sums.ts";
import type { Database, Statement, Store } from "../store.ts";
import { removeWords } from "../words/remove.ts";

/** Records that go in one transaction: the lock is not held long enough for anyone to notice. */
const STEP_ROWS = 500;
/** Ids that an entry of the audit log names. */
const IDS_SHOWN = 20;

/** Who wants records removed, and what they asked for. */
export interface RemovalOrder {
  readonly by: Acting;
  readonly asked?: unknown;
}

/**
 * Deletes records of one organization with everything that only they refer to. Called only by the writer of records:
 * otherwise content that a new record is about to share could be deleted under it.
 *
 * A record in flight is skipped: its end would find nothing to end. Records go first, so that none is ever seen without
 * its body; a crash can only leave bodies without a record. The bytes of bodies are erased later, by `sweep`.
 *
 * @param requestIds - in lower case; those that the organization does not have are passed over.
 * @param order - for the audit log; retention has an entry for a run as a whole.
 * @returns how many records there were.
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
    // The plus keeps SQLite from going through all of the organization's records for a few ids.
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
  /** Of the same transaction. */
  readonly statements?: readonly Statement[];
  readonly order: RemovalOrder | undefined;
}

/** Deletes what the libSQL database keeps of these records wherever they are, and notes who wanted it. */
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
  else await recorded(records, all, order.by, actOf(organizationId, requestIds, order.asked));
}

/** Each step is an entry: of how many records, and of the first of them. */
function actOf(organizationId: string, requestIds: readonly string[], asked: unknown): Act {
  const ids = requestIds.slice(0, IDS_SHOWN);
  const [only] = requestIds.length === 1 ? ids : [];
  return {
    action: "records.deleted",
    organizationId,
    object: { kind: only === undefined ? "records" : "record", id: only ?? "", name: "" },
    before: { records: requestIds.length, ids },
    ...(asked !== undefined && { after: { asked } }),
  };
}
