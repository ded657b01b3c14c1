const KIND_COLUMNS = [
  ...["key_id", "gateway_user", "auth_hash", "method", "target_url", "request_path", "provider", "request_model"],
  ...["response_model", "model", "outcome", "cost_source", "wire_schema", "route", "credential", "routed_model"],
  ...["ai_gateway_body_mapping", "storage_location"],
];
const OTHER_COLUMNS = [
  ...["seq", "request_id", "organization_id", "request_referrer", "country_code", "model_override"],
  ...["request_created_at", "response_created_at", "updated_at", "response_id", "response_status", "error_code"],
  ...["error_message", "delay_ms", "time_to_first_token", "prompt_tokens", "completion_tokens", "total_tokens"],
  ...["prompt_cache_read_tokens", "prompt_cache_write_tokens", "prompt_cache_write_1h_tokens", "prompt_audio_tokens"],
  ...["completion_audio_tokens", "reasoning_tokens", "usage_estimated", "cost", "user_id", "session_id"],
  ...["session_name", "session_path", "prompt_id", "prompt_version", "node_id", "job_id", "experiment_id"],
  ...["cache_enabled", "cached", "cache_reference_id", "cache_created_at", "streamed", "truncated", "threat"],
  ...["is_passthrough_billing", "size_bytes", "properties", "prompt_inputs", "scores", "assets", "feedback_id"],
  ...["feedback_rating", "feedback_created_at", "attempt_of", "attempt", "unread", "route_reason"],
  ...["gateway_warnings", "input", "output", "excerpts_packed", "kind"],
];

/**
 * Values that requests have in common are stored once. Older rows contain the values themselves, and so do rows that a
 * partial index selects by them. `whole_requests` shows both alike; a migration that adds a column to `requests` must
 * recreate the view.
 */
export const KINDS = [
  `create table kinds (
    id integer primary key not null,
    ${KIND_COLUMNS.map((column) => `${column} text`).join(", ")},
    usage_shape text
  )`,
  "alter table requests add column kind integer",
  `create view whole_requests as select
    ${OTHER_COLUMNS.map((column) => `r.${column} as ${column}`).join(", ")},
    ${KIND_COLUMNS.map((column) => `coalesce(k.${column}, r.${column}) as ${column}`).join(", ")},
    iif(k.usage_shape is null, r.usage_raw, json_array(k.usage_shape, r.usage_raw)) as usage_raw
    from requests r left join kinds k on k.id = r.kind`,
];
