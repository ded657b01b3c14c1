import type { Database } from "../../../store/store.ts";
import type { EarlierResponse } from "../../../unified/earlier-response.ts";
import { requestIdIn } from "../../../unified/ids.ts";
import { earlierResponse, type ResponseRow } from "../../earlier-response.ts";

const COLUMNS = "request_id, provider, routed_model, request_model, credential, ai_gateway_body_mapping";

/**
 * Finds the response with this id in the records of one organization.
 *
 * Our own ids contain the request's id; provider ids are indexed. The first record with the id belongs to the request that
 * created the response; later records may only have fetched it. A response that was deleted through Weir is not found.
 */
export async function findResponse(
  records: Database,
  organizationId: string,
  responseId: string,
): Promise<EarlierResponse | undefined> {
  const [row] = (await ownRow(records, organizationId, responseId)) ?? [];
  const found = row ?? (await providersRow(records, organizationId, responseId))[0];
  return found && earlierResponse(found);
}

/** Undefined when the id does not contain a request id. */
function ownRow(records: Database, organizationId: string, responseId: string) {
  const requestId = requestIdIn(responseId);
  if (requestId === undefined) return undefined;
  return records.query<ResponseRow>({
    sql: `select ${COLUMNS} from whole_requests where request_id = ? and +organization_id = ? and response_id = ?`,
    args: [requestId, organizationId, responseId],
  });
}

function providersRow(records: Database, organizationId: string, responseId: string) {
  return records.query<ResponseRow>({
    // The conditions repeat those of the partial index exactly, so that SQLite uses it.
    sql: `select ${COLUMNS} from requests where organization_id = ? and response_id = ?
      and credential is not null and response_id is not null and wire_schema = 'responses'
      and not exists (select 1 from requests d where d.organization_id = ? and d.response_id = ?
        and d.credential is not null and d.response_id is not null and d.wire_schema = 'responses'
        and d.method = 'DELETE' and d.response_status between 200 and 299)
      order by seq limit 1`,
    args: [organizationId, responseId, organizationId, responseId],
  });
}

/** Whether the response of a successful request is recorded completely. */
export async function isWhole(records: Database, requestId: string): Promise<boolean> {
  const [row] = await records.query<{ truncated: number }>({
    sql: "select truncated from requests where request_id = ? and response_status between 200 and 299",
    args: [requestId],
  });
  return row?.truncated === 0;
}
