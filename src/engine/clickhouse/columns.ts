import type { RequestRow } from "../../record/written-row.ts";

/** Columns of SQLite's rows that do not exist here: excerpts are always in the row, and compression does the work of kinds. */
type LeftOut = "kind" | "excerpts_packed";
/** Columns with JSON text in SQLite and a structured type here. */
export type Structured = "properties" | "prompt_inputs" | "scores" | "assets";

const TEXT = "LowCardinality(String)";
const TEXT_OR_NULL = "LowCardinality(Nullable(String))";
const UNIQUE = "Nullable(String)";
const COUNT = "Nullable(Int64)";
const REAL = "Nullable(Float64)";
const FLAG = "UInt8";
const FLAG_OR_NULL = "Nullable(UInt8)";
/** Milliseconds since 1970. Neighbouring times in a table are close together, so deltas compress well. */
const TIME = "Int64 CODEC(Delta, ZSTD(1))";
const TIME_OR_NULL = "Nullable(Int64) CODEC(Delta, ZSTD(1))";
const LONG = "Nullable(String) CODEC(ZSTD(3))";

/** Columns of `requests` with their names in SQLite, in the order of creation. */
export const REQUEST_TYPES: Readonly<Record<Exclude<keyof RequestRow, LeftOut>, string>> = {
  organization_id: TEXT,
  request_created_at: TIME,
  request_id: "String",
  key_id: TEXT,
  gateway_user: TEXT_OR_NULL,
  auth_hash: TEXT_OR_NULL,
  method: TEXT,
  target_url: TEXT_OR_NULL,
  request_path: TEXT_OR_NULL,
  request_referrer: TEXT_OR_NULL,
  country_code: TEXT_OR_NULL,
  provider: TEXT_OR_NULL,
  request_model: TEXT_OR_NULL,
  response_model: TEXT_OR_NULL,
  model_override: TEXT_OR_NULL,
  model: TEXT_OR_NULL,
  response_created_at: TIME_OR_NULL,
  updated_at: TIME,
  response_id: UNIQUE,
  response_status: COUNT,
  outcome: TEXT_OR_NULL,
  error_code: TEXT_OR_NULL,
  error_message: UNIQUE,
  delay_ms: REAL,
  time_to_first_token: REAL,
  prompt_tokens: COUNT,
  completion_tokens: COUNT,
  total_tokens: COUNT,
  prompt_cache_read_tokens: COUNT,
  prompt_cache_write_tokens: COUNT,
  prompt_cache_write_1h_tokens: COUNT,
  prompt_audio_tokens: COUNT,
  completion_audio_tokens: COUNT,
  reasoning_tokens: COUNT,
  usage_estimated: FLAG,
  usage_raw: LONG,
  cost: REAL,
  cost_source: TEXT_OR_NULL,
  user_id: UNIQUE,
  session_id: UNIQUE,
  session_name: UNIQUE,
  session_path: UNIQUE,
  prompt_id: TEXT_OR_NULL,
  prompt_version: TEXT_OR_NULL,
  node_id: UNIQUE,
  job_id: UNIQUE,
  experiment_id: UNIQUE,
  cache_enabled: FLAG,
  cached: FLAG,
  cache_reference_id: UNIQUE,
  cache_created_at: COUNT,
  streamed: FLAG,
  truncated: FLAG,
  threat: FLAG_OR_NULL,
  is_passthrough_billing: FLAG,
  size_bytes: "Int64",
  wire_schema: TEXT_OR_NULL,
  properties: "Map(LowCardinality(String), String)",
  prompt_inputs: "Map(LowCardinality(String), String)",
  scores: "Map(LowCardinality(String), Float64)",
  assets: "Array(String)",
  feedback_id: COUNT,
  feedback_rating: FLAG_OR_NULL,
  feedback_created_at: COUNT,
  storage_location: TEXT,
  attempt_of: UNIQUE,
  attempt: COUNT,
  unread: TEXT_OR_NULL,
  route: TEXT_OR_NULL,
  route_reason: TEXT_OR_NULL,
  credential: TEXT_OR_NULL,
  routed_model: TEXT_OR_NULL,
  gateway_warnings: TEXT,
  ai_gateway_body_mapping: TEXT,
  input: LONG,
  output: LONG,
  finish_reason: TEXT_OR_NULL,
};

/** Columns for data that SQLite has in separate tables. */
export const FURTHER_TYPES = {
  /** Names in `properties` and `prompt_inputs` that arrived without their original case. */
  case_erased: "Array(LowCardinality(String))",
  inputs_case_erased: "Array(LowCardinality(String))",
  /** The last user message and the response; null when texts are not stored. */
  prompt_text: LONG,
  completion_text: LONG,
  /** The words of the new text in this turn, as `rows.ts` writes them. */
  said_words: LONG,
  /** The object that contains the record's bodies, and their range in it; an empty name when there are none. */
  body_object: TEXT,
  body_offset: "UInt64",
  body_bytes: "UInt64",
} as const;

/** All columns of `requests` and `open`, but for `whole`. */
export const COLUMN_TYPES: Readonly<Record<string, string>> = { ...REQUEST_TYPES, ...FURTHER_TYPES };

/**
 * A column of `requests` with the values of REQUEST_TYPES as JSON, as `rows.ts` writes it: each column that is read costs some
 * milliseconds for rows that are spread over the table, however few they are. Empty for a row that was changed, and for one
 * that was stored before version 4 of the tables.
 */
export const WHOLE = "whole String codec(ZSTD(1))";
