import { Buffer } from "node:buffer";
import type { MappingOf } from "../../mapping/mapping.ts";
import type { ExchangeInput } from "../../mapping/read-exchange.ts";
import type { Json, ProviderPlugin, StreamEvent } from "../../plugin/contract.ts";
import type { RequestRow } from "../../record/request-record.ts";
import { answerValue, type Body, readBody, requestValue } from "../../recorder/bodies/body.ts";
import { headerValue, toHeaders } from "../../recorder/prepare/headers.ts";
import { loadBodies, type RequestBodies, type StoredBody } from "../../store/bodies/bodies.ts";
import type { Database } from "../../store/store.ts";

/** An exchange as it was read when it was recorded, from what is stored of it. */
export interface Recorded {
  readonly row: RequestRow;
  readonly requestBody: Json;
  /** The whole answer where it was no stream: JSON, else its text. */
  readonly responseBody: Json;
  readonly events: readonly StreamEvent[] | undefined;
  /** The bodies that the values above come from. */
  readonly bodies: { readonly request: Body | undefined; readonly response: Body | undefined };
  readonly requestHeaders: readonly string[];
  readonly responseHeaders: readonly string[];
}

/** Bodies of a few records, read anew. */
export async function loadRecorded(database: Database, rows: readonly RequestRow[]): Promise<Recorded[]> {
  const ids = rows.map(({ request_id }) => request_id);
  const bodies = await loadBodies(database, ids, ["request", "response", "raw", "headers"]);
  return rows.map((row) => toRecorded(row, bodies.get(row.request_id) ?? {}));
}

/** Reads the bodies of one record. */
export function toRecorded(row: RequestRow, bodies: RequestBodies): Recorded {
  const headers = headersOf(bodies.headers);
  const incomplete = row.truncated !== 0;
  const path = row.request_path ?? "";
  const requestType = headerValue(headers.request, "content-type");
  const request =
    bodies.request &&
    readBody(bytesOf(bodies.request), { contentType: requestType, path, isResponse: false, incomplete });
  const part = bodies.raw ?? bodies.response;
  const responseType = headerValue(headers.response, "content-type");
  const response = part && readBody(bytesOf(part), { contentType: responseType, path, isResponse: true, incomplete });
  return {
    row,
    bodies: { request, response },
    requestBody: requestValue(request),
    responseBody: answerValue(response),
    events: response?.events,
    requestHeaders: headers.request,
    responseHeaders: headers.response,
  };
}

const bytesOf = ({ content }: StoredBody) => Buffer.from(content.buffer, content.byteOffset, content.byteLength);

function headersOf(body: StoredBody | undefined): { request: string[]; response: string[] } {
  const lists: Json = body === undefined ? undefined : JSON.parse(bytesOf(body).toString("utf8"));
  const textsOf = (list: Json) => (Array.isArray(list) ? list.map(String) : []);
  return { request: textsOf(lists?.request), response: textsOf(lists?.response) };
}

/** What the readers of `mapping/` take. */
export function toInput(recorded: Recorded, provider: ProviderPlugin | undefined, mappingOf: MappingOf): ExchangeInput {
  const { row, requestBody, responseBody, events } = recorded;
  return {
    method: row.method,
    path: row.request_path ?? "",
    host: URL.parse(row.target_url ?? "")?.hostname.toLowerCase() ?? "",
    status: row.response_status ?? 0,
    requestHeaders: toHeaders(recorded.requestHeaders),
    responseHeaders: toHeaders(recorded.responseHeaders),
    requestBody,
    responseBody,
    events,
    provider,
    modelOverride: row.model_override ?? undefined,
    mappingOf,
  };
}
