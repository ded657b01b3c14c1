const KIND_COLUMNS = [
  ...["key_id", "gateway_user", "auth_hash", "method", "target_url", "request_path", "provider", "request_model"],
  ...["response_model", "model", "outcome", "cost_source", "wire_schema", "route", "credential", "routed_model"],
  ...["ai_gateway_body_mapping", "storage_location", "finish_reason"],
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
/** Columns that blocks contain. Changes of other columns leave the blocks valid. */
const IN_BLOCKS = [
  ...["organization_id", "provider", "model", "request_model", "response_model", "user_id", "session_id"],
  ...["country_code", "prompt_id", "prompt_version", "outcome", "finish_reason", "error_code", "gateway_user"],
  ...["route", "credential", "request_created_at", "response_status", "delay_ms", "time_to_first_token"],
  ...["prompt_tokens", "completion_tokens", "total_tokens", "cost", "cached", "cache_enabled", "feedback_rating"],
  ...["scores", "feedback_id", "experiment_id", "properties"],
];

/**
 * Why responses ended. Existing blocks lack this and other columns: they are rebuilt in steps, and aggregates are computed
 * from the records meanwhile.
 */
export const FINISH_REASONS = [
  "drop view whole_requests",
  "alter table requests add column finish_reason text",
  "alter table kinds add column finish_reason text",
  `create view whole_requests as select
    ${OTHER_COLUMNS.map((column) => `r.${column} as ${column}`).join(", ")},
    ${KIND_COLUMNS.map((column) => `coalesce(k.${column}, r.${column}) as ${column}`).join(", ")},
    iif(k.usage_shape is null, r.usage_raw, json_array(k.usage_shape, r.usage_raw)) as usage_raw
    from requests r left join kinds k on k.id = r.kind`,
  "drop trigger block_updated",
  `create trigger block_updated after update of ${IN_BLOCKS.join(", ")} on requests
    when old.seq <= (select seq from block_watch) begin
      insert into block_changes (seq) values (old.seq) on conflict (seq) do update set taken = 0;
    end`,
  "delete from block_columns",
  "delete from block_parts",
  "delete from blocks",
  "delete from block_changes",
  "update block_watch set seq = 0, token = '' where id = 1",
];
