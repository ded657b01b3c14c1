import type { Json, RecordDraft } from "../../plugin-host/contract.ts";
import { RESPONSE_BODY_BYTES_MAX, type ResponseFacts } from "../../plugin-host/hooks/response-facts.ts";
import { providerOf } from "../../record/provider.ts";
import { PreparedFacts } from "./facts.ts";
import type { Prepared } from "./prepared.ts";

/** A record as `onAnswer` sees it. @param draft - the record as plugins changed it, if they were called. */
export function responseFacts(record: Prepared, draft: RecordDraft | undefined): ResponseFacts {
  const { exchange, row, texts, labels } = record;
  const { begin, head, end } = exchange;
  const { target, usage, error } = new PreparedFacts(record);
  const body = jsonOf(draft === undefined ? record.responseBody : draft.response_body);
  return {
    id: exchange.id,
    attemptOf: begin.attemptOf,
    organizationId: begin.organization,
    keyId: begin.keyId,
    method: begin.method,
    path: begin.path,
    provider: providerOf(row),
    target: target ?? undefined,
    route: row.route ?? undefined,
    credential: row.credential ?? undefined,
    userId: row.user_id ?? undefined,
    sessionId: row.session_id ?? undefined,
    properties: { ...labels.properties },
    model: row.model ?? undefined,
    status: row.response_status ?? undefined,
    headers: head?.headers.pairs ?? [],
    body,
    bodyBytes: end?.responseBytes ?? 0,
    text: body === undefined ? undefined : (texts.completion ?? undefined),
    truncated: row.truncated === 1,
    usage,
    cost: row.cost ?? undefined,
    streamed: row.streamed === 1,
    cached: row.cached === 1,
    outcome: end?.outcome ?? "cut_off",
    error: error ?? undefined,
    startedAt: begin.time,
    endedAt: end?.time ?? begin.time,
  };
}

/** JSON text of a body, if plugins may see it. */
function jsonOf(body: Json): string | undefined {
  if (body === undefined || body === null || typeof body === "string") return undefined;
  const text = JSON.stringify(body);
  return Buffer.byteLength(text) > RESPONSE_BODY_BYTES_MAX ? undefined : text;
}
