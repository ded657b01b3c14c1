/** Columns that blocks contain, with their SQL over the row `r`. Filters and metrics that need other columns read the records. */
export const TEXT_COLUMNS = {
  provider: "r.provider",
  model: "r.model",
  request_model: "r.request_model",
  response_model: "r.response_model",
  user_id: "r.user_id",
  session_id: "r.session_id",
  country_code: "r.country_code",
  prompt_id: "r.prompt_id",
  prompt_version: "r.prompt_version",
  outcome: "r.outcome",
  finish_reason: "r.finish_reason",
  error_code: "r.error_code",
  gateway_user: "r.gateway_user",
  route: "r.route",
  credential: "r.credential",
} as const;

export const NUMBER_COLUMNS = {
  request_created_at: "r.request_created_at",
  response_status: "r.response_status",
  delay_ms: "r.delay_ms",
  time_to_first_token: "r.time_to_first_token",
  prompt_tokens: "r.prompt_tokens",
  completion_tokens: "r.completion_tokens",
  total_tokens: "r.total_tokens",
  cost: "r.cost",
  cached: "r.cached",
  cache_enabled: "r.cache_enabled",
  feedback_rating: "r.feedback_rating",
  scored: "(r.scores <> '{}' or r.feedback_id is not null)",
  experiment: "(r.experiment_id is not null)",
} as const;

export type TextColumn = keyof typeof TEXT_COLUMNS;
export type NumberColumn = keyof typeof NUMBER_COLUMNS;

/** Each record's `seq`, relative to the block's first. */
export const SEQ = "seq";

/** Columns of a property: its values, and whether the name had lost its case. */
export const propertyColumn = (name: string) => `property:${name}`;
export const erasedColumn = (name: string) => `erased:${name}`;
