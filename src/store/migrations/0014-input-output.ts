/** Columns that blocks contain. Changes of other columns leave the blocks valid. */
const IN_BLOCKS = [
  ...["organization_id", "provider", "model", "request_model", "response_model", "user_id", "session_id"],
  ...["country_code", "prompt_id", "outcome", "route", "credential", "request_created_at", "response_status"],
  ...["delay_ms", "time_to_first_token", "prompt_tokens", "completion_tokens", "total_tokens", "cost", "cached"],
  ...["cache_enabled", "feedback_rating", "scores", "feedback_id", "experiment_id", "properties"],
];

/**
 * The start of the text in a record's newest turn, for lists. Retention deletes it with the bodies, for many records at once;
 * that must not count as a change of their blocks.
 */
export const INPUT_OUTPUT = [
  "alter table requests add column input text",
  "alter table requests add column output text",
  "drop trigger block_updated",
  `create trigger block_updated after update of ${IN_BLOCKS.join(", ")} on requests
    when old.seq <= (select seq from block_watch) begin
      insert into block_changes (seq) values (old.seq) on conflict (seq) do update set taken = 0;
    end`,
];
