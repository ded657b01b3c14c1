import { type Field, GROUPS, isField } from "../fields.ts";

/** Group and field of the filter grammar, and its kind. */
export interface Named {
  readonly path: readonly [group: string, field?: string];
  readonly field: Field;
}

const RMT = "request_response_rmt";
const SESSIONS = "sessions_request_response_rmt";

/**
 * Short names, as in the dashboard's addresses. Every field of `request_response_rmt` is also available under its own name.
 */
const SHORT: Readonly<Record<string, Named["path"]>> = {
  user: [RMT, "user_id"],
  key: [RMT, "gateway_user"],
  id: [RMT, "request_id"],
  created: [RMT, "request_created_at"],
  answered: [RMT, "response_created_at"],
  first_token: [RMT, "time_to_first_token"],
  target: [RMT, "target_url"],
  tokens: [RMT, "total_tokens"],
  cache_read: [RMT, "prompt_cache_read_tokens"],
  cache_write: [RMT, "prompt_cache_write_tokens"],
  cache_reference: [RMT, "cache_reference_id"],
  country: [RMT, "country_code"],
  referrer: [RMT, "request_referrer"],
  job: [RMT, "job_id"],
  node: [RMT, "node_id"],
  asset: [RMT, "assets"],
  said: [RMT, "input"],
  feedback: [RMT, "gateway-score-feedback"],
  has_property: [RMT, "property_key"],
  property: [RMT, "properties"],
  property_any_case: [RMT, "search_properties"],
  score: [RMT, "scores"],
  value: ["values"],
  path: ["request", "path"],
  prompt: ["request", "prompt"],
  request_model: ["request", "model"],
  model_override: ["request", "modelOverride"],
  answer: ["response", "body_completion"],
  response_model: ["response", "body_model"],
  response_id: ["feedback", "response_id"],
  feedback_time: ["feedback", "created_at"],
  session: [SESSIONS, "session_session_id"],
  session_name: [SESSIONS, "session_session_name"],
  session_tag: [SESSIONS, "session_tag"],
  session_cost: [SESSIONS, "session_total_cost"],
  session_tokens: [SESSIONS, "session_total_tokens"],
  session_requests: [SESSIONS, "session_total_requests"],
  session_began: [SESSIONS, "session_created_at"],
  session_last: [SESSIONS, "session_latest_request_created_at"],
};

/** The subjects of written conditions, by name. */
export const WRITTEN_NAMES: ReadonlyMap<string, Named> = new Map(
  [...fieldsOf(RMT), ...Object.entries(SHORT)].map(([name, path]) => [name, { path, field: fieldAt(path) }]),
);

function fieldsOf(group: string): [string, Named["path"]][] {
  return Object.keys(GROUPS[group] ?? {}).map((field) => [field, [group, field]]);
}

function fieldAt([group, name]: Named["path"]): Field {
  const fields = GROUPS[group]!;
  return isField(fields) ? fields : fields[name!]!;
}
