import { dollars } from "./dollars.ts";
import { isoTime, isoTimeOrNull } from "./iso-time.ts";
import type { requests } from "./tables.ts";

/** One row of `requests`, as returned by the database. */
export type RequestRow = typeof requests.$inferSelect;

/** A record without its bodies: the form with `includeBody: false`. Times are ISO 8601 UTC with milliseconds. */
export type RecordFields = ReturnType<typeof toRecordFields>;

/** URLs that serve parts of a record without a key. */
interface RecordLinks {
  readonly signedBodyUrl: string;
  /** By asset id. */
  readonly assetUrls: Readonly<Record<string, string>>;
}

/**
 * Members of a record that equal one column, with that column. In lists the database prints them as JSON text
 * (`engine/libsql/find/records.ts`); none of the columns is floating-point, because the database would round it.
 */
export const STORED_MEMBERS = {
  request_id: "request_id",
  organization_id: "organization_id",
  request_method: "method",
  request_path: "request_path",
  request_referrer: "request_referrer",
  request_user_id: "user_id",
  request_model: "request_model",
  model_override: "model_override",
  model: "model",
  routed_model: "routed_model",
  provider: "provider",
  target_url: "target_url",
  gateway_user: "gateway_user",
  auth_hash: "auth_hash",
  country_code: "country_code",

  response_id: "response_id",
  response_status: "response_status",
  response_model: "response_model",
  outcome: "outcome",
  finish_reason: "finish_reason",
  error_code: "error_code",
  error_message: "error_message",
  input: "input",
  output: "output",
  unread: "unread",
  size_bytes: "size_bytes",

  total_tokens: "total_tokens",
  prompt_tokens: "prompt_tokens",
  prompt_cache_write_tokens: "prompt_cache_write_tokens",
  prompt_cache_read_tokens: "prompt_cache_read_tokens",
  completion_tokens: "completion_tokens",
  prompt_audio_tokens: "prompt_audio_tokens",
  completion_audio_tokens: "completion_audio_tokens",
  reasoning_tokens: "reasoning_tokens",
  cost_source: "cost_source",

  session_id: "session_id",
  session_name: "session_name",
  session_path: "session_path",
  prompt_id: "prompt_id",
  prompt_version: "prompt_version",
  node_id: "node_id",
  job_id: "job_id",
  experiment_id: "experiment_id",

  attempt_of: "attempt_of",
  attempt: "attempt",
  route: "route",
  route_reason: "route_reason",
  credential: "credential",
  ai_gateway_body_mapping: "ai_gateway_body_mapping",
  cache_reference_id: "cache_reference_id",
  storage_location: "storage_location",
} as const satisfies Readonly<Record<string, keyof RequestRow>>;

type StoredMember = keyof typeof STORED_MEMBERS;
type StoredMembers = { readonly [Name in StoredMember]: RequestRow[(typeof STORED_MEMBERS)[Name]] } & {
  /** The number of comments on the request. */
  readonly comments: number;
};

/** @param row - has `comments` if they were counted. */
export function storedMembers(row: RequestRow & { readonly comments?: number }): StoredMembers {
  const members = Object.entries(STORED_MEMBERS).map(([name, column]) => [name, row[column]]);
  return { ...Object.fromEntries(members), comments: row.comments ?? 0 } as StoredMembers;
}

/** Columns from which the other members are made. */
export const MADE_FROM = [
  ...["request_id", "request_created_at", "response_created_at", "updated_at", "delay_ms", "time_to_first_token"],
  ...["streamed", "truncated", "usage_estimated", "cost", "properties", "prompt_inputs", "scores", "assets"],
  ...["feedback_id", "feedback_rating", "feedback_created_at", "cache_enabled", "cached", "cache_created_at"],
  ...["threat", "is_passthrough_billing", "gateway_warnings"],
] as const satisfies readonly (keyof RequestRow)[];

export type MadeFrom = Pick<RequestRow, (typeof MADE_FROM)[number]>;

/** The other members. */
export function madeMembers(row: MadeFrom, links: RecordLinks) {
  const properties = readObject<string>(row.properties);
  const assets = assetIds(row);
  return {
    request_created_at: isoTime(row.request_created_at),
    response_created_at: isoTimeOrNull(row.response_created_at),
    delay_ms: row.delay_ms,
    time_to_first_token: row.time_to_first_token,
    streamed: Boolean(row.streamed),
    truncated: Boolean(row.truncated),

    usage_estimated: Boolean(row.usage_estimated),
    cost: dollars(row.cost),
    costUSD: dollars(row.cost),

    request_properties: properties,
    properties,
    scores: readObject<number>(row.scores),
    feedback_id: row.feedback_id === null ? null : String(row.feedback_id),
    feedback_rating: booleanOrNull(row.feedback_rating),
    feedback_created_at: isoTimeOrNull(row.feedback_created_at),

    cache_enabled: Boolean(row.cache_enabled),
    cached: Boolean(row.cached),
    cache_created_at: isoTimeOrNull(row.cache_created_at),
    threat: booleanOrNull(row.threat),
    is_passthrough_billing: Boolean(row.is_passthrough_billing),
    gateway_warnings: readTexts(row.gateway_warnings),

    assets,
    asset_ids: assets,
    updated_at: isoTime(row.updated_at),
    asset_urls: links.assetUrls,
    signed_body_url: links.signedBodyUrl,
  };
}

/**
 * The record as the API returns it, without `request_body`, `response_body` and `llmSchema`, whose JSON text is inserted on
 * request.
 */
export function toRecordFields(row: RequestRow, links: RecordLinks) {
  return { ...storedMembers(row), ...madeMembers(row, links) };
}

/** Ids of the record's assets. */
export function assetIds(row: Pick<RequestRow, "assets">): readonly string[] {
  return readTexts(row.assets);
}

/** Names and values of the prompt's inputs. */
export function promptInputs(row: Pick<RequestRow, "prompt_inputs">): Readonly<Record<string, string>> {
  return readObject<string>(row.prompt_inputs);
}

function readTexts(json: string): readonly string[] {
  if (json === "[]") return [];
  const list: unknown = parse(json);
  return Array.isArray(list) ? list.filter((each) => typeof each === "string") : [];
}

function readObject<T>(json: string): Readonly<Record<string, T>> {
  if (json === "{}") return {};
  const value: unknown = parse(json);
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, T>) : {};
}

/** Tolerant: one damaged cell must not hide a whole page of records. */
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
