import { UNMAPPED } from "../unified/body-mapping.ts";
import type { EarlierResponse } from "../unified/earlier-response.ts";

/** Columns of the record that holds a response. */
export interface ResponseRow {
  readonly request_id: string;
  readonly provider: string;
  readonly routed_model: string | null;
  readonly request_model: string | null;
  readonly credential: string | null;
  readonly ai_gateway_body_mapping: string;
}

/** Undefined when the response was not made with one of Weir's credentials. */
export function earlierResponse(row: ResponseRow): EarlierResponse | undefined {
  if (row.credential === null) return undefined;
  return {
    requestId: row.request_id,
    provider: row.provider,
    model: row.routed_model ?? row.request_model ?? "",
    requestModel: row.request_model,
    credential: row.credential,
    isProviders: row.ai_gateway_body_mapping === UNMAPPED,
  };
}
