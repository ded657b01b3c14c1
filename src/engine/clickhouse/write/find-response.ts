import type { EarlierResponse } from "../../../unified/earlier-response.ts";
import { requestIdIn } from "../../../unified/ids.ts";
import { earlierResponse, type ResponseRow } from "../../earlier-response.ts";
import type { ClickHouse } from "../client.ts";
import { literal } from "../literal.ts";
import { finishedRows } from "./find-rows.ts";

const COLUMNS = "provider, routed_model, request_model, credential, ai_gateway_body_mapping";

/** Finds a response as `engine/libsql/write/find-response.ts` does, which explains the conditions. */
export async function findResponseRow(
  client: ClickHouse,
  organizationId: string,
  responseId: string,
): Promise<EarlierResponse | undefined> {
  const own = requestIdIn(responseId);
  const ours =
    own === undefined
      ? []
      : await finishedRows<ResponseRow & { response_id: string }>(client, [own], `${COLUMNS}, response_id`);
  const ourOwn = ours.find((row) => row.organization_id === organizationId && row.response_id === responseId);
  const found = ourOwn ?? (await providersRow(client, organizationId, responseId));
  return found && earlierResponse(found);
}

async function providersRow(client: ClickHouse, organizationId: string, responseId: string) {
  const rows = await client.query<ResponseRow & { is_deletion: number }>(
    `select request_id, ${COLUMNS}, method = 'DELETE' and response_status between 200 and 299 as is_deletion from requests
      where organization_id = ${literal(organizationId)} and response_id = ${literal(responseId)}
        and credential is not null and wire_schema = 'responses'
      order by request_created_at, request_id`,
  );
  return rows.some(({ is_deletion }) => is_deletion === 1) ? undefined : rows[0];
}
