import { maskLabel, maskPath, maskText } from "../masking/mask.ts";
import { isUuid } from "../runtime/uuid.ts";
import { COST_MAX, dollars, isCost } from "./dollars.ts";
import { beginning, EXCERPT_MAX } from "./excerpt.ts";
import { readIsoTime } from "./iso-time.ts";
import { storable } from "./storable.ts";
import type { RequestRow } from "./written-row.ts";

/** Maximum bytes of one imported record, as JSON. */
export const IMPORTED_RECORD_BYTES_MAX = 64 * 1024 * 1024;
/** Maximum records and bytes per call. */
export const IMPORT_RECORDS_MAX = 1_000;
export const IMPORT_BYTES_MAX = IMPORTED_RECORD_BYTES_MAX + 1_024;

type Column = "seq" | keyof RequestRow;
type ImportKind =
  | ("text" | "label" | "address" | "message" | "excerpt")
  | ("integer" | "count" | "number" | "dollars" | "flag" | "time" | "id");

/** A record cannot be imported; the message is for the caller. */
export class ImportRefused extends Error {
  override readonly name = "ImportRefused";
}

/** Every plain member of a record: its column, and its type besides null. */
const PLAIN: Readonly<Record<string, readonly [Column, ImportKind]>> = {
  request_method: ["method", "text"],
  request_path: ["request_path", "address"],
  request_referrer: ["request_referrer", "address"],
  request_user_id: ["user_id", "label"],
  request_model: ["request_model", "text"],
  model_override: ["model_override", "text"],
  model: ["model", "text"],
  routed_model: ["routed_model", "text"],
  provider: ["provider", "text"],
  target_url: ["target_url", "address"],
  gateway_user: ["gateway_user", "text"],
  auth_hash: ["auth_hash", "text"],
  country_code: ["country_code", "text"],
  request_created_at: ["request_created_at", "time"],
  response_created_at: ["response_created_at", "time"],
  updated_at: ["updated_at", "time"],
  response_id: ["response_id", "text"],
  response_status: ["response_status", "integer"],
  response_model: ["response_model", "text"],
  outcome: ["outcome", "text"],
  finish_reason: ["finish_reason", "text"],
  error_code: ["error_code", "text"],
  error_message: ["error_message", "message"],
  input: ["input", "excerpt"],
  output: ["output", "excerpt"],
  unread: ["unread", "message"],
  delay_ms: ["delay_ms", "number"],
  time_to_first_token: ["time_to_first_token", "number"],
  streamed: ["streamed", "flag"],
  truncated: ["truncated", "flag"],
  size_bytes: ["size_bytes", "count"],
  total_tokens: ["total_tokens", "count"],
  prompt_tokens: ["prompt_tokens", "count"],
  prompt_cache_write_tokens: ["prompt_cache_write_tokens", "count"],
  prompt_cache_read_tokens: ["prompt_cache_read_tokens", "count"],
  completion_tokens: ["completion_tokens", "count"],
  prompt_audio_tokens: ["prompt_audio_tokens", "count"],
  completion_audio_tokens: ["completion_audio_tokens", "count"],
  reasoning_tokens: ["reasoning_tokens", "count"],
  usage_estimated: ["usage_estimated", "flag"],
  cost: ["cost", "dollars"],
  cost_source: ["cost_source", "text"],
  feedback_id: ["feedback_id", "id"],
  feedback_rating: ["feedback_rating", "flag"],
  feedback_created_at: ["feedback_created_at", "time"],
  session_id: ["session_id", "label"],
  session_name: ["session_name", "label"],
  session_path: ["session_path", "label"],
  prompt_id: ["prompt_id", "label"],
  prompt_version: ["prompt_version", "label"],
  node_id: ["node_id", "label"],
  job_id: ["job_id", "label"],
  experiment_id: ["experiment_id", "label"],
  attempt_of: ["attempt_of", "text"],
  attempt: ["attempt", "integer"],
  route: ["route", "text"],
  route_reason: ["route_reason", "text"],
  credential: ["credential", "text"],
  ai_gateway_body_mapping: ["ai_gateway_body_mapping", "text"],
  cache_enabled: ["cache_enabled", "flag"],
  cached: ["cached", "flag"],
  cache_reference_id: ["cache_reference_id", "text"],
  cache_created_at: ["cache_created_at", "time"],
  threat: ["threat", "flag"],
  is_passthrough_billing: ["is_passthrough_billing", "flag"],
  storage_location: ["storage_location", "text"],
};

/** Members that are read separately or derived. */
const OTHER = [
  ...["request_id", "organization_id", "properties", "request_properties", "prompt_inputs", "scores"],
  ...["assets", "asset_ids", "asset_urls", "signed_body_url", "gateway_warnings", "costUSD"],
  ...["request_body", "response_body", "provider_request", "provider_response", "llmSchema", "comments"],
];

/** Names of all members that a record may have; other members are dropped. */
export const RECORD_MEMBERS: ReadonlySet<string> = new Set([...Object.keys(PLAIN), ...OTHER]);

/** Defaults of columns that are never null. */
const MISSING: Partial<Record<Column, string | number>> = {
  method: "POST",
  provider: "CUSTOM",
  streamed: 0,
  truncated: 0,
  size_bytes: 0,
  usage_estimated: 0,
  cache_enabled: 0,
  cached: 0,
  is_passthrough_billing: 0,
  storage_location: "libsql",
  ai_gateway_body_mapping: "NO_MAPPING",
};

/**
 * The row for an exported record, in the caller's organization.
 *
 * @param owner - organization, and the importing key: an export does not contain the original key.
 * @throws ImportRefused
 */
export function readImported(value: unknown, owner: { organization_id: string; key_id: string }): RequestRow {
  const record = objectOf(value, "a line");
  const columns: Partial<Record<Column, string | number | null>> = {};
  for (const [name, [column, kind]] of Object.entries(PLAIN)) {
    columns[column] = readValue(own(record, name), kind, name) ?? MISSING[column] ?? null;
  }
  const created = columns.request_created_at;
  if (typeof created !== "number") throw new ImportRefused("request_created_at is missing");
  if (columns.response_status === null) {
    throw new ImportRefused("the request was in flight when it was exported; export it again");
  }
  columns.updated_at ??= created;
  if (columns.feedback_rating !== null) columns.feedback_created_at ??= columns.updated_at;
  // Rounded as it will be shown, so that a filter finds the amount that a record shows.
  columns.cost = dollars((columns.cost ?? readValue(own(record, "costUSD"), "dollars", "costUSD")) as number | null);
  return {
    ...(columns as Omit<RequestRow, "request_id">),
    ...owner,
    request_id: requestIdOf(record),
    properties: namesText(own(record, "properties") ?? own(record, "request_properties"), "properties", "text"),
    prompt_inputs: namesText(own(record, "prompt_inputs"), "prompt_inputs", "text"),
    scores: namesText(own(record, "scores"), "scores", "number"),
    assets: JSON.stringify(textsOf(own(record, "assets") ?? own(record, "asset_ids"), "assets is not a list of ids")),
    gateway_warnings: JSON.stringify(
      textsOf(own(record, "gateway_warnings"), "gateway_warnings is not a list of texts"),
    ),
  };
}

/** In lower case, as ids are stored. */
function requestIdOf(record: Readonly<Record<string, unknown>>): string {
  const id = own(record, "request_id");
  if (typeof id !== "string" || !isUuid(id)) throw new ImportRefused("request_id is not a UUID");
  return id.toLowerCase();
}

/** An own member, so `toString` and the like do not count. Null if missing. */
function own(record: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(record, name) ? (record[name] ?? null) : null;
}

const WANTED: Readonly<Record<ImportKind, string>> = {
  text: "text",
  label: "text",
  address: "text",
  message: "text",
  excerpt: "text",
  integer: "a whole number",
  count: "a whole number that is not negative",
  dollars: `a number from 0 to ${COST_MAX}`,
  number: "a number",
  flag: "true or false",
  time: "a time in ISO 8601",
  id: "a whole number as text",
};

function readValue(value: unknown, kind: ImportKind, name: string): string | number | null {
  if (value === null) return null;
  const read = READ[kind](value);
  if (read === undefined) throw new ImportRefused(`${name} is not ${WANTED[kind]}`);
  return read;
}

const READ: Readonly<Record<ImportKind, (value: unknown) => string | number | undefined>> = {
  text: (value) => (typeof value === "string" ? storable(value) : undefined),
  // A file may come from elsewhere: values that Weir would not record are refused.
  label: (value) => (typeof value === "string" ? storable(maskLabel(value)) : undefined),
  address: (value) => (typeof value === "string" ? storable(maskPath(value)) : undefined),
  message: (value) => (typeof value === "string" ? storable(maskText(value)) : undefined),
  excerpt: (value) => (typeof value === "string" ? storable(beginning(maskText(value), EXCERPT_MAX)) : undefined),
  integer: (value) => (Number.isSafeInteger(value) ? (value as number) : undefined),
  count: (value) => (Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined),
  dollars: (value) => (isCost(value) ? value : undefined),
  number: (value) => (Number.isFinite(value) ? (value as number) : undefined),
  flag: (value) => (typeof value === "boolean" ? Number(value) : undefined),
  time: (value) => (typeof value === "string" ? timeOf(value) : undefined),
  id: (value) => (typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : undefined),
};

function timeOf(text: string): number | undefined {
  const at = readIsoTime(text);
  return at === undefined ? undefined : Math.floor(at);
}

/** JSON text of an object that maps names to texts or numbers, in its order; null values count as missing. */
function namesText(value: unknown, name: string, kind: "text" | "number"): string {
  if (value === null) return "{}";
  const names: Record<string, string | number> = Object.create(null);
  for (const [key, given] of Object.entries(objectOf(value, name))) {
    if (key === "") throw new ImportRefused(`${name} has an empty name`);
    const read = readValue(given ?? null, kind, `${name}.${key.slice(0, 100)}`);
    if (read !== null) names[storable(key)] = typeof read === "string" ? maskLabel(read, key) : read;
  }
  return JSON.stringify(names);
}

function textsOf(value: unknown, refusal: string): readonly string[] {
  if (value === null) return [];
  if (!Array.isArray(value) || !value.every((id) => typeof id === "string")) {
    throw new ImportRefused(refusal);
  }
  return value.map(storable);
}

function objectOf(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new ImportRefused(`${name} is not a JSON object`);
}
