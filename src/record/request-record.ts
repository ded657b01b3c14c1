import { isoTime, isoTimeOrNull } from "./iso-time.ts";
import type { requests } from "./tables.ts";

/** One row of `requests`, as the database answers it. */
export type RequestRow = typeof requests.$inferSelect;

/** A record without its bodies: what `includeBody: false` leaves. Times are ISO 8601 UTC with milliseconds. */
export type RecordFields = ReturnType<typeof toRecordFields>;

/** Addresses under which parts of a record are served without a key. */
interface RecordLinks {
  readonly signedBodyUrl: string;
  /** By asset id. */
  readonly assetUrls: Readonly<Record<string, string>>;
}

/**
 * The record as the API shows it, all but `request_body`, `response_body` and `llmSchema`, whose JSON text is spliced in
 * where it is asked for.
 */
export function toRecordFields(row: RequestRow, links: RecordLinks) {
  const properties = readObject<string>(row.properties);
  const assets = assetIds(row);
  return {
    request_id: row.request_id,
    organization_id: row.organization_id,
    request_created_at: isoTime(row.request_created_at),
    request_method: row.method,
    request_path: row.request_path,
    request_referrer: row.request_referrer,
    request_user_id: row.user_id,
    request_properties: properties,
    request_model: row.request_model,
    model_override: row.model_override,
    model: row.model,
    provider: row.provider,
    target_url: row.target_url,
    gateway_user: row.gateway_user,
    auth_hash: row.auth_hash,
    country_code: row.country_code,

    response_id: row.response_id,
    response_created_at: isoTimeOrNull(row.response_created_at),
    response_status: row.response_status,
    response_model: row.response_model,
    outcome: row.outcome,
    error_code: row.error_code,
    error_message: row.error_message,
    delay_ms: row.delay_ms,
    time_to_first_token: row.time_to_first_token,
    streamed: Boolean(row.streamed),
    truncated: Boolean(row.truncated),
    size_bytes: row.size_bytes,

    total_tokens: row.total_tokens,
    prompt_tokens: row.prompt_tokens,
    prompt_cache_write_tokens: row.prompt_cache_write_tokens,
    prompt_cache_read_tokens: row.prompt_cache_read_tokens,
    completion_tokens: row.completion_tokens,
    prompt_audio_tokens: row.prompt_audio_tokens,
    completion_audio_tokens: row.completion_audio_tokens,
    reasoning_tokens: row.reasoning_tokens,
    usage_estimated: Boolean(row.usage_estimated),
    cost: row.cost,
    costUSD: row.cost,
    cost_source: row.cost_source,

    properties,
    scores: readObject<number>(row.scores),
    feedback_id: row.feedback_id === null ? null : String(row.feedback_id),
    feedback_rating: booleanOrNull(row.feedback_rating),
    feedback_created_at: isoTimeOrNull(row.feedback_created_at),
    session_id: row.session_id,
    session_name: row.session_name,
    session_path: row.session_path,
    prompt_id: row.prompt_id,
    prompt_version: row.prompt_version,
    node_id: row.node_id,
    job_id: row.job_id,
    experiment_id: row.experiment_id,

    attempt_of: row.attempt_of,
    attempt: row.attempt,
    cache_enabled: Boolean(row.cache_enabled),
    cached: Boolean(row.cached),
    cache_reference_id: row.cache_reference_id,
    cache_created_at: isoTimeOrNull(row.cache_created_at),
    threat: booleanOrNull(row.threat),
    is_passthrough_billing: Boolean(row.is_passthrough_billing),
    ai_gateway_body_mapping: "NO_MAPPING",

    assets,
    asset_ids: assets,
    asset_urls: links.assetUrls,
    signed_body_url: links.signedBodyUrl,
    storage_location: row.storage_location,
    updated_at: isoTime(row.updated_at),
  };
}

/** Ids of the assets that the record shows. */
export function assetIds(row: Pick<RequestRow, "assets">): readonly string[] {
  if (row.assets === "[]") return [];
  const ids: unknown = parse(row.assets);
  return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
}

/** Names and values of the prompt's inputs. */
export function promptInputs(row: Pick<RequestRow, "prompt_inputs">): Readonly<Record<string, string>> {
  return readObject<string>(row.prompt_inputs);
}

function readObject<T>(json: string): Readonly<Record<string, T>> {
  if (json === "{}") return {};
  const value: unknown = parse(json);
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, T>) : {};
}

/** One damaged cell must not hide a whole page of records. */
function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function booleanOrNull(value: number | null): boolean | null {
  return value === null ? null : value !== 0;
}
