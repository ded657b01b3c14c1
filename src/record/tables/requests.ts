import { sql } from "drizzle-orm";
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** One row per exchange, without its bodies. */
export const requests = sqliteTable(
  "requests",
  {
    /** Order of arrival in the database. */
    seq: integer().primaryKey({ autoIncrement: true }),
    request_id: text().notNull(),
    organization_id: text().notNull(),
    key_id: text().notNull(),
    gateway_user: text(),
    auth_hash: text(),
    method: text().notNull(),
    target_url: text(),
    request_path: text(),
    request_referrer: text(),
    country_code: text(),
    provider: text(),
    request_model: text(),
    response_model: text(),
    model_override: text(),
    model: text(),
    request_created_at: integer().notNull(),
    response_created_at: integer(),
    updated_at: integer().notNull(),
    response_id: text(),
    /** Null while in flight. */
    response_status: integer(),
    outcome: text(),
    error_code: text(),
    error_message: text(),
    delay_ms: real(),
    time_to_first_token: real(),
    prompt_tokens: integer(),
    completion_tokens: integer(),
    total_tokens: integer(),
    prompt_cache_read_tokens: integer(),
    prompt_cache_write_tokens: integer(),
    prompt_cache_write_1h_tokens: integer(),
    prompt_audio_tokens: integer(),
    completion_audio_tokens: integer(),
    reasoning_tokens: integer(),
    usage_estimated: integer().notNull().default(0),
    /** The provider's usage block as JSON text, as sent. */
    usage_raw: text(),
    cost: real(),
    cost_source: text(),
    user_id: text(),
    session_id: text(),
    session_name: text(),
    session_path: text(),
    prompt_id: text(),
    prompt_version: text(),
    node_id: text(),
    job_id: text(),
    experiment_id: text(),
    cache_enabled: integer().notNull().default(0),
    /** 1 for a cache hit. */
    cached: integer().notNull().default(0),
    cache_reference_id: text(),
    cache_created_at: integer(),
    streamed: integer().notNull().default(0),
    truncated: integer().notNull().default(0),
    threat: integer(),
    is_passthrough_billing: integer().notNull().default(0),
    size_bytes: integer().notNull().default(0),
    /** Wire schema with which the bodies were read; null while the model's mapping is pending. */
    wire_schema: text(),
    /** JSON object: name to value. */
    properties: text().notNull().default("{}"),
    prompt_inputs: text().notNull().default("{}"),
    /** JSON object: name to number. */
    scores: text().notNull().default("{}"),
    /** JSON array of asset ids. */
    assets: text().notNull().default("[]"),
    feedback_id: integer(),
    feedback_rating: integer(),
    feedback_created_at: integer(),
    storage_location: text().notNull().default("libsql"),
    /** The request of which this is a failed attempt. */
    attempt_of: text(),
    /** Number of this attempt, or of the one that responded; null if there was only one. */
    attempt: integer(),
    /** Why the bodies were not read; null if they were. Unread bodies are stored as received. */
    unread: text(),
    /** Name of the unified address's route; null if the client named the model itself. */
    route: text(),
    route_reason: text(),
    /** Name of the credential that paid, or `client`. */
    credential: text(),
    /** The model name sent to the provider. */
    routed_model: text(),
    /** JSON array of clauses, one for each loss or guess. */
    gateway_warnings: text().notNull().default("[]"),
    /** `NO_MAPPING` if client and provider use the same shape; otherwise the client's shape. */
    ai_gateway_body_mapping: text().notNull().default("NO_MAPPING"),
    /** The beginning of the last text of a user or a tool, and of the response; both are deleted with the bodies. */
    input: text(),
    output: text(),
    /** 1 if both are in the packs with the bodies, and null here. */
    excerpts_packed: integer(),
    /** The row of `kinds` that holds the values of `KIND_COLUMNS`; null if this row holds them itself. */
    kind: integer(),
    /** `stop`, `length`, `tool_calls`, `content_filter` or another term of the provider's; null if not reported. */
    finish_reason: text(),
    /** The part of time in which it was created: a row of `time_partitions`. */
    time_partition: integer().notNull().default(0),
  },
  (t) => [
    uniqueIndex("requests_id").on(t.request_id),
    index("requests_created").on(t.organization_id, t.request_created_at),
    index("requests_cost").on(t.organization_id, t.cost, t.request_id),
    index("requests_users")
      .on(t.time_partition, t.organization_id, t.user_id, t.request_created_at)
      .where(sql`user_id is not null`),
    // Covers all columns of a session's totals, so that they are computed without reading a row.
    index("requests_sessions")
      .on(
        t.organization_id,
        t.session_id,
        t.request_created_at,
        t.cost,
        t.total_tokens,
        t.prompt_tokens,
        t.completion_tokens,
      )
      .where(sql`session_id is not null`),
    index("requests_unread").on(t.organization_id, t.seq).where(sql`unread is not null`),
    index("requests_in_flight").on(t.seq).where(sql`response_status is null`),
    // Responses that a provider has stored, by the provider's id.
    index("requests_responses")
      .on(t.organization_id, t.response_id)
      .where(sql`credential is not null and response_id is not null and wire_schema = 'responses'`),
    // Records that the mapper has to read, or read again.
    index("requests_unmapped")
      .on(t.organization_id, t.provider, t.seq)
      .where(sql`(wire_schema is null or wire_schema = 'mapped') and model is not null`),
    // Covers listing the names of scores.
    index("requests_scored").on(t.organization_id, t.request_created_at, t.scores).where(sql`scores <> '{}'`),
    // Covers counting hits and misses.
    index("requests_cache")
      .on(t.organization_id, t.cached, t.outcome, t.cache_reference_id)
      .where(sql`cache_enabled = 1`),
  ],
);

/**
 * Values that a client's requests for one model have in common. The id is derived from the values
 * (`engine/libsql/write/kinds.ts`), so that all writers agree on it without coordination.
 */
export const kinds = sqliteTable("kinds", {
  id: integer().primaryKey(),
  key_id: text(),
  gateway_user: text(),
  auth_hash: text(),
  method: text(),
  target_url: text(),
  request_path: text(),
  provider: text(),
  request_model: text(),
  response_model: text(),
  model: text(),
  outcome: text(),
  cost_source: text(),
  wire_schema: text(),
  route: text(),
  credential: text(),
  routed_model: text(),
  ai_gateway_body_mapping: text(),
  storage_location: text(),
  /** Text of `usage_raw` without its numbers, which are in the request's row. */
  usage_shape: text(),
  finish_reason: text(),
});

/** Consecutive parts of time, by id; each ends where the next one starts, and the first has no beginning. */
export const timePartitions = sqliteTable("time_partitions", {
  id: integer().primaryKey(),
  /** Milliseconds since 1970. */
  start: integer().notNull(),
});

/**
 * Properties (`kind` 0) and prompt inputs (`kind` 1), one row each, in addition to the JSON in `requests`; used by filters.
 */
export const properties = sqliteTable(
  "properties",
  {
    organization_id: text().notNull(),
    kind: integer().notNull(),
    name: text().notNull(),
    value: text().notNull(),
    request_created_at: integer().notNull(),
    seq: integer().notNull(),
    /** 1 if the name arrived without its case: it then also matches its Train-Case spelling. */
    case_erased: integer().notNull().default(0),
    /** Copy of the record's cost, so that costs by value need this table only; a trigger keeps it equal. */
    cost: real(),
  },
  (t) => [
    primaryKey({ columns: [t.organization_id, t.kind, t.name, t.value, t.request_created_at, t.seq] }),
    index("properties_seq").on(t.seq),
  ],
);

/** Tags of sessions; a session itself consists only of the requests that name it. */
export const sessionTags = sqliteTable(
  "session_tags",
  {
    organization_id: text().notNull(),
    session_id: text().notNull(),
    tag: text().notNull(),
    updated_at: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.organization_id, t.session_id] })],
);
