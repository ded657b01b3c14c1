import { fromLatin1 } from "../../bodies/headers.ts";
import { tokenColumns } from "../../bodies/token-columns.ts";
import type { Cost } from "../../mapping/prices/cost.ts";
import type { ExchangeReading } from "../../mapping/read-exchange.ts";
import { storedUsage } from "../../mapping/usage.ts";
import { maskLabel, maskText } from "../../masking/mask.ts";
import type { RequestRow } from "../../record/written-row.ts";
import { UNMAPPED } from "../../unified/body-mapping.ts";
import type { Exchange } from "../exchanges/exchange.ts";
import { type Labels, NO_NAMES } from "./labels.ts";
import { providerPath, routingOf } from "./sides.ts";
import { responseStatus } from "./status.ts";

/** What is known beyond the frames. */
interface Findings {
  readonly reading: ExchangeReading;
  readonly cost: Cost;
  readonly streamed: boolean;
  /** A part of a body is missing from the record. */
  readonly truncated: boolean;
  /** Why the bodies were not read. */
  readonly unread?: string | undefined;
}

/** The row of an exchange, in flight or ended. `now` is the time of writing, in milliseconds since 1970. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table: one member for each column
export function toRow(exchange: Exchange, labels: Labels, findings: Findings | undefined, now: number): RequestRow {
  const { begin, head, end } = exchange;
  const reading = findings?.reading;
  const routing = routingOf(exchange);
  const { referrer, country } = begin.headers.known;
  const requestModel = routing?.requestModel ?? reading?.requestModel ?? null;
  const setting = (name: string) => labels.settings.get(name) ?? null;
  const override = setting("model-override");
  const cutOff = end?.outcome === "cut_off";
  const tokens = tokenColumns(reading?.usage);
  return {
    request_id: exchange.id,
    organization_id: begin.organization,
    key_id: begin.keyId,
    gateway_user: begin.keyName,
    auth_hash: begin.authHash,
    method: begin.method,
    target_url: begin.target === "" ? null : begin.target + providerPath(exchange),
    request_path: begin.path,
    request_referrer: referrer === undefined ? null : fromLatin1(referrer),
    country_code: country ?? null,
    provider: begin.provider === "" ? null : begin.provider,
    request_model: requestModel,
    response_model: reading?.responseModel ?? null,
    model_override: override,
    model: override ?? reading?.responseModel ?? routing?.routedModel ?? requestModel,
    request_created_at: Math.trunc(begin.time),
    response_created_at: end === undefined || cutOff ? null : Math.trunc(end.time),
    updated_at: now,
    response_id: reading?.id ?? null,
    finish_reason: reading?.finishReason ?? null,
    response_status: responseStatus(head, end),
    outcome: end?.outcome ?? null,
    error_code: end?.error?.code ?? reading?.error?.type ?? null,
    // The provider's message is part of the response body.
    error_message: end?.error?.message ?? (begin.omitResponse ? null : masked(reading?.error?.message, maskText)),
    delay_ms: end === undefined || cutOff ? null : Math.max(0, end.time - begin.time),
    time_to_first_token: findings?.streamed ? timeToFirstToken(exchange) : null,
    total_tokens: tokens.total_tokens,
    prompt_tokens: tokens.prompt_tokens,
    completion_tokens: tokens.completion_tokens,
    prompt_cache_read_tokens: tokens.prompt_cache_read_tokens,
    prompt_cache_write_tokens: tokens.prompt_cache_write_tokens,
    prompt_cache_write_1h_tokens: tokens.prompt_cache_write_1h_tokens,
    prompt_audio_tokens: tokens.prompt_audio_tokens,
    completion_audio_tokens: tokens.completion_audio_tokens,
    reasoning_tokens: tokens.reasoning_tokens,
    usage_estimated: reading?.usageEstimated ? 1 : 0,
    usage_raw: storedUsage(reading?.usageRaw),
    cost: findings?.cost.cost ?? null,
    cost_source: findings?.cost.source ?? null,
    user_id: setting("user-id") ?? masked(reading?.userId, maskLabel),
    session_id: setting("session-id") ?? masked(routing?.session, maskLabel),
    session_name: setting("session-name"),
    session_path: setting("session-path"),
    prompt_id: setting("prompt-id"),
    prompt_version: setting("prompt-version"),
    node_id: setting("node-id"),
    job_id: setting("job-id"),
    experiment_id: setting("experiment-id"),
    cache_enabled: isCacheUsed(labels) ? 1 : 0,
    cached: head?.cacheReferenceId === undefined ? 0 : 1,
    cache_reference_id: head?.cacheReferenceId ?? null,
    cache_created_at: head?.cacheCreatedAt === undefined ? null : Math.trunc(head.cacheCreatedAt),
    streamed: findings?.streamed ? 1 : 0,
    truncated: findings?.truncated ? 1 : 0,
    threat: null,
    is_passthrough_billing: routing?.stored === true ? 1 : 0,
    size_bytes: end === undefined ? 0 : end.requestBytes + end.responseBytes,
    wire_schema: reading?.wireSchema ?? null,
    properties: labels.properties === NO_NAMES ? "{}" : JSON.stringify(labels.properties),
    prompt_inputs: labels.promptInputs === NO_NAMES ? "{}" : JSON.stringify(labels.promptInputs),
    scores: "{}",
    assets: "[]",
    feedback_id: null,
    feedback_rating: null,
    feedback_created_at: null,
    storage_location: "libsql",
    attempt_of: begin.attemptOf ?? null,
    attempt: begin.attempt ?? head?.attempt ?? null,
    unread: findings?.unread ?? null,
    route: routing?.route ?? null,
    route_reason: routing?.reason ?? null,
    credential: routing?.credential ?? null,
    routed_model: routing?.routedModel ?? null,
    gateway_warnings: routing?.warnings === undefined ? "[]" : JSON.stringify(routing.warnings),
    ai_gateway_body_mapping: routing?.mapping ?? UNMAPPED,
  };
}

/** Milliseconds from forwarding the request to the first byte of a stream. */
function timeToFirstToken({ end }: Exchange): number | null {
  if (end?.firstByteAt === undefined || end.forwardedAt === undefined) return null;
  return Math.max(0, end.firstByteAt - end.forwardedAt);
}

const CACHE_SETTINGS = ["cache-enabled", "cache-read", "cache-save"];

function isCacheUsed({ settings }: Labels): boolean {
  for (const name of CACHE_SETTINGS) if (settings.get(name)?.toLowerCase() === "true") return true;
  return false;
}

/** Masks body text that becomes a column; header text was masked before it was recorded. */
function masked(text: string | undefined, mask: (text: string) => string): string | null {
  return text === undefined ? null : mask(text);
}
