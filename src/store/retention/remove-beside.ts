import type { Act } from "../../people/actions.ts";
import type { Acting } from "../../people/actor.ts";
import { recorded } from "../audit/recorded.ts";
import { forgetCalls } from "../earlier-responses/call-states.ts";
import { forgetJudgements } from "../judges/judgements.ts";
import { forgetReviewed } from "../reviews/reviews.ts";
import type { Database, Statement } from "../store.ts";

/** Ids listed in one entry of the audit log. */
const IDS_SHOWN = 20;

/** Who removes records, and the filter or ids they gave. */
export interface RemovalOrder {
  readonly by: Acting;
  readonly selection?: unknown;
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
