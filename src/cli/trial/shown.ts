import { shownTexts } from "../../mapping/said.ts";
import type { GatewayAnswer, GatewayRequest, RecordDraft, RecordFacts } from "../../plugin-host/contract.ts";
import { bytesOf } from "./exchange.ts";
import type { TrialReading } from "./read-trial.ts";

/** The duration of a trial's exchanges, in milliseconds. */
const TOOK_MS = 800;

/** The record of a trial, as `onRecord` and `onRecorded` see one. */
export function draftOf(request: GatewayRequest, { input, reading, cost }: TrialReading): RecordDraft {
  return {
    request_id: request.id,
    organization_id: request.organizationId,
    provider: request.provider,
    model: reading.model ?? reading.requestModel ?? null,
    request_user_id: request.userId ?? reading.userId ?? null,
    properties: { ...request.properties },
    cost,
    threat: null,
    response_status: input.status,
    request_body: input.requestBody,
    response_body: reading.responseBody ?? input.responseBody,
    facts: factsOf(request, { input, reading }),
  };
}

function factsOf(request: GatewayRequest, { input, reading }: Pick<TrialReading, "input" | "reading">): RecordFacts {
  const { error } = reading;
  const now = Date.now();
  return {
    method: request.method,
    path: request.path,
    target: request.target.origin,
    wireSchema: reading.wireSchema ?? null,
    requestModel: reading.requestModel ?? null,
    responseModel: reading.responseModel ?? null,
    responseId: reading.id ?? null,
    startedAt: now - TOOK_MS,
    endedAt: now,
    timeToFirstToken: input.events === undefined ? null : TOOK_MS / 2,
    usage: reading.usage ?? {},
    usageEstimated: reading.usageEstimated === true,
    streamed: input.events !== undefined,
    cached: false,
    outcome: "complete",
    error: error === undefined ? null : { code: error.type ?? null, message: error.message },
    sessionId: request.gatewayHeader("session-id") ?? null,
    promptId: request.gatewayHeader("prompt-id") ?? null,
    promptText: shownTexts(reading.said).input ?? null,
    responseText: shownTexts(reading.said).output ?? null,
    requestHeaders: request.headers,
    responseHeaders: input.responseHeaders,
  };
}

/** The response as `onAnswer` sees it, with the changes of `onRecord`. */
export function responseOf(request: GatewayRequest, draft: RecordDraft, { input }: TrialReading): GatewayAnswer {
  const { facts } = draft;
  return {
    id: draft.request_id,
    attemptOf: undefined,
    organizationId: draft.organization_id,
    keyId: request.keyId,
    method: facts.method,
    path: facts.path,
    provider: draft.provider,
    target: request.target.origin,
    route: undefined,
    credential: undefined,
    userId: draft.request_user_id ?? undefined,
    sessionId: facts.sessionId ?? undefined,
    properties: draft.properties,
    model: draft.model ?? undefined,
    status: input.status,
    headers: input.responseHeaders,
    body: draft.response_body,
    bodyBytes: bytesOf(draft.response_body).length,
    text: facts.responseText ?? undefined,
    truncated: false,
    usage: facts.usage,
    cost: draft.cost ?? undefined,
    streamed: facts.streamed,
    cached: false,
    outcome: "complete",
    error: facts.error ?? undefined,
    startedAt: facts.startedAt,
    endedAt: facts.endedAt ?? facts.startedAt,
  };
}
