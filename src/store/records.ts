import type { RequestRow } from "../record/request-record.ts";
import type { Database } from "./store.ts";

/** Records of one organization in the order asked; ids that it does not have are left out. Ids in lower case. */
export async function recordsByIds(
  database: Database,
  organizationId: string,
  requestIds: readonly string[],
): Promise<RequestRow[]> {
  const sql = `select r.* from json_each(?) asked cross join requests r on r.request_id = asked.value
    where r.organization_id = ? order by asked.key`;
  return database.query<RequestRow>({ sql, args: [JSON.stringify(requestIds), organizationId] });
}
