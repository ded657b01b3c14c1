import { Buffer } from "node:buffer";
import { type Body, readBody, requestValue, responseValue } from "../../bodies/body.ts";
import { headerValue, toHeaders } from "../../bodies/headers.ts";
import type { Inputs } from "../../bodies/readings.ts";
import type { MappingOf } from "../../mapping/mapping.ts";
import { usageOfRow } from "../../mapping/prices/explain.ts";
import type { ExchangeInput } from "../../mapping/read-exchange.ts";
import type { Json, ProviderPlugin, StreamEvent } from "../../plugin-host/contract.ts";
import type { RequestRow } from "../../record/request-record.ts";
import type { BodyStore } from "../../store/bodies/body-store.ts";
import type { RequestBodies, StoredBody } from "../../store/packs/read.ts";
import { UNMAPPED } from "../../unified/body-mapping.ts";

/** An exchange as it was at recording time, rebuilt from its stored data. */
export interface Recorded extends RecordedSide {
  readonly row: RequestRow;
  /** The provider's side, if it differs from the client's. */
  readonly provider?: RecordedSide;
}

interface RecordedSide {
  readonly requestBody: Json;
  /** The complete response if it was not a stream: JSON, otherwise its text. */
  readonly responseBody: Json;
  readonly events: readonly StreamEvent[] | undefined;
  /** The bodies from which the values above come. */
  readonly bodies: { readonly request: Body | undefined; readonly response: Body | undefined };
  readonly requestHeaders: readonly string[];
  readonly responseHeaders: readonly string[];
}

/** Everything stored about an exchange's bodies. */
export const RECORDED_PARTS = [
  "request",
  "response",
  "raw",
  "headers",
  "provider_request",
  "provider_response",
] as const;

/** Loads and reads the bodies of a few records. */
export async function loadRecorded(content: BodyStore, rows: readonly RequestRow[]): Promise<Recorded[]> {
  const ids = rows.map(({ request_id }) => request_id);
  const bodies = await content.get(ids, RECORDED_PARTS);
  return rows.map((row) => toRecorded(row, bodies.get(row.request_id) ?? {}));
}

/** Reads the bodies of one record. */
export function toRecorded(row: RequestRow, bodies: RequestBodies): Recorded {
  const lists: Json = bodies.headers && JSON.parse(bytesOf(bodies.headers).toString("utf8"));
  const headersOf = (name: string) => (Array.isArray(lists?.[name]) ? lists[name].map(String) : undefined);
  const ofRequest = { part: bodies.request, headers: headersOf("request") ?? [] };
  const ofResponse = { part: bodies.raw ?? bodies.response, headers: headersOf("response") ?? [] };
  const client = toSide(ofRequest, ofResponse, row, row.request_path ?? "");
  if (bodies.provider_response === undefined) return { row, ...client };
  const sent = headersOf("provider_request");
  const provider = toSide(
    sent === undefined ? ofRequest : { part: bodies.provider_request, headers: sent },
    { part: bodies.provider_response, headers: headersOf("provider_response") ?? [] },
    row,
    providerPath(row),
  );
  return { row, ...client, provider };
}

interface Stored {
  readonly part: StoredBody | undefined;
  readonly headers: readonly string[];
}

function toSide(ofRequest: Stored, ofResponse: Stored, { truncated }: RequestRow, path: string): RecordedSide {
  const read = ({ part, headers }: Stored, isResponse: boolean) => {
    const contentType = headerValue(headers, "content-type");
    return part && readBody(bytesOf(part), { contentType, path, isResponse, incomplete: truncated !== 0 });
  };
  const [request, response] = [read(ofRequest, false), read(ofResponse, true)];
  return {
    bodies: { request, response },
    requestBody: requestValue(request),
    responseBody: responseValue(response),
    events: response?.events,
    requestHeaders: ofRequest.headers,
    responseHeaders: ofResponse.headers,
  };
}

/** The provider's status. A record whose client left has the status of that, but usage only if the provider had responded. */
function providerStatus(row: RequestRow): number {
  const status = row.response_status ?? 0;
  return status >= 400 && usageOfRow(row) !== undefined ? 200 : status;
}

/** Path and query as the provider received them, from the called URL. */
function providerPath({ target_url, request_path, routed_model }: RequestRow): string {
  const url = routed_model === null ? null : URL.parse(target_url ?? "");
  return url === null ? (request_path ?? "") : url.pathname + url.search;
}

const bytesOf = ({ content }: StoredBody) => Buffer.from(content.buffer, content.byteOffset, content.byteLength);

/** The input for the readers of `mapping/`, for both sides. */
export function toInputs(recorded: Recorded, provider: ProviderPlugin | undefined, mappingOf: MappingOf): Inputs {
  const { row, provider: other } = recorded;
  const isTranslated = row.ai_gateway_body_mapping !== UNMAPPED;
  if (other === undefined && !isTranslated) {
    const input = { ...toInput(row, recorded, provider, providerPath(row)), mappingOf };
    return { client: input, provider: input };
  }
  const client = toInput(row, recorded, undefined, row.request_path ?? "");
  if (other === undefined) return { client, provider: client };
  return { client, provider: { ...toInput(row, other, provider, providerPath(row)), mappingOf } };
}

function toInput(
  row: RequestRow,
  recorded: RecordedSide,
  provider: ProviderPlugin | undefined,
  path: string,
): ExchangeInput {
  const { requestBody, responseBody, events } = recorded;
  return {
    method: row.method,
    path,
    host: URL.parse(row.target_url ?? "")?.hostname.toLowerCase() ?? "",
    status: providerStatus(row),
    requestHeaders: toHeaders(recorded.requestHeaders),
    responseHeaders: toHeaders(recorded.responseHeaders),
    requestBody,
    responseBody,
    events,
    provider,
    modelOverride: row.model_override ?? undefined,
  };
}
