/** The type of a field, which determines its operators and valid values. */
export type FieldKind = "text" | "number" | "timestamp" | "boolean" | "contains" | "key";

/** Joined to the rows when a statement needs it; `texts` and `excerpts` are read beforehand. */
export type Join = "texts" | "excerpts" | "tags" | "session";

/** The source of a field's value. `r` is the row of `requests`; `select.ts` joins the others. */
export type FieldSource =
  /** A column or an SQL expression over the row. */
  | {
      readonly from: "row";
      readonly sql: string;
      readonly needs?: Join;
      /** For an excerpt: SQL of the value in the row, used if `r.excerpts_packed` is null. */
      readonly inRow?: string;
    }
  /** A body, which SQL cannot read: it is decoded and tested outside of SQL. */
  | { readonly from: "body"; readonly part: "request" | "response" }
  /** Rows of one kind in the table `properties`; `names`: how a name is compared. */
  | { readonly from: "properties"; readonly kind: 0 | 1; readonly names: "exact" | "any-case" }
  /** Whether a property with that name exists. */
  | { readonly from: "property_key" }
  /** A number in the JSON map of scores. */
  | { readonly from: "scores" }
  /** Any of the asset ids. */
  | { readonly from: "assets" };

export interface Field {
  readonly kind: FieldKind;
  readonly source: FieldSource;
  /** The field is an object: the next step of the path is a name in it. */
  readonly named?: true;
  /** A sum of US dollars, which is compared as it is shown. */
  readonly shownSum?: true;
}

const row = (kind: FieldKind, sql: string): Field => ({ kind, source: { from: "row", sql } });
const joined = (kind: FieldKind, needs: Join, column: string): Field => ({
  kind,
  source: { from: "row", sql: `${needs}.${column}`, needs },
});
const text = (column: string) => row("text", `r.${column}`);
/** Stored in the row, or in the packs with the bodies. */
const excerpt = (column: string): Field => ({
  kind: "text",
  source: { from: "row", sql: `coalesce(r.${column}, excerpts.${column})`, needs: "excerpts", inRow: `r.${column}` },
});
const number = (column: string) => row("number", `r.${column}`);
const timestamp = (column: string) => row("timestamp", `r.${column}`);
const boolean = (column: string) => row("boolean", `r.${column}`);

const PROPERTIES: Field = { kind: "text", source: { from: "properties", kind: 0, names: "exact" }, named: true };
const VALUES: Field = { kind: "text", source: { from: "properties", kind: 1, names: "exact" }, named: true };

const REQUEST_RESPONSE: Readonly<Record<string, Field>> = {
  country_code: text("country_code"),
  provider: text("provider"),
  model: text("model"),
  user_id: text("user_id"),
  organization_id: text("organization_id"),
  node_id: text("node_id"),
  job_id: text("job_id"),
  request_id: text("request_id"),
  target_url: text("target_url"),
  // The plus sign keeps SQLite from substituting an equal constant where scores are read as JSON.
  scores_column: row("text", "+r.scores"),
  cache_reference_id: text("cache_reference_id"),
  attempt_of: text("attempt_of"),
  outcome: text("outcome"),
  finish_reason: text("finish_reason"),
  error_code: text("error_code"),
  gateway_user: text("gateway_user"),
  route: text("route"),
  credential: text("credential"),
  routed_model: text("routed_model"),
  assets: { kind: "text", source: { from: "assets" } },
  prompt_id: text("prompt_id"),
  prompt_version: text("prompt_version"),
  request_referrer: text("request_referrer"),
  input: excerpt("input"),
  output: excerpt("output"),

  latency: number("delay_ms"),
  // The plus sign keeps the planner from walking the index on cost, which it would do even for a bound that excludes
  // nothing; `access-path.ts` detects selective bounds.
  cost: row("number", "+r.cost"),
  time_to_first_token: number("time_to_first_token"),
  status: number("response_status"),
  prompt_tokens: number("prompt_tokens"),
  completion_tokens: number("completion_tokens"),
  prompt_cache_read_tokens: number("prompt_cache_read_tokens"),
  prompt_cache_write_tokens: number("prompt_cache_write_tokens"),
  total_tokens: number("total_tokens"),
  comments: row("number", "(select count(*) from comments c where c.request_id = r.request_id)"),

  request_created_at: timestamp("request_created_at"),
  response_created_at: timestamp("response_created_at"),

  threat: boolean("threat"),
  cache_enabled: boolean("cache_enabled"),
  cached: boolean("cached"),
  "gateway-score-feedback": boolean("feedback_rating"),
  is_passthrough_billing: boolean("is_passthrough_billing"),
  unread: row("boolean", "(r.unread is not null)"),

  request_body: { kind: "contains", source: { from: "body", part: "request" } },
  response_body: { kind: "contains", source: { from: "body", part: "response" } },
  property_key: { kind: "key", source: { from: "property_key" } },
  properties: PROPERTIES,
  search_properties: { kind: "text", source: { from: "properties", kind: 0, names: "any-case" }, named: true },
  scores: { kind: "number", source: { from: "scores" }, named: true },
};

const REQUEST: Readonly<Record<string, Field>> = {
  prompt: joined("text", "texts", "prompt"),
  user_id: text("user_id"),
  auth_hash: text("auth_hash"),
  org_id: text("organization_id"),
  id: text("request_id"),
  node_id: text("node_id"),
  model: text("request_model"),
  modelOverride: text("model_override"),
  path: text("request_path"),
  country_code: text("country_code"),
  prompt_id: text("prompt_id"),
  created_at: timestamp("request_created_at"),
};

const RESPONSE: Readonly<Record<string, Field>> = {
  body_model: text("response_model"),
  body_completion: joined("text", "texts", "completion"),
  model: text("response_model"),
  body_tokens: number("total_tokens"),
  status: number("response_status"),
};

const FEEDBACK: Readonly<Record<string, Field>> = {
  response_id: text("response_id"),
  id: number("feedback_id"),
  created_at: timestamp("feedback_created_at"),
  rating: boolean("feedback_rating"),
};

const SESSIONS: Readonly<Record<string, Field>> = {
  session_session_id: text("session_id"),
  session_session_name: text("session_name"),
  session_tag: joined("text", "tags", "tag"),
  session_total_cost: { ...joined("number", "session", "total_cost"), shownSum: true },
  session_total_tokens: joined("number", "session", "total_tokens"),
  session_prompt_tokens: joined("number", "session", "prompt_tokens"),
  session_completion_tokens: joined("number", "session", "completion_tokens"),
  session_total_requests: joined("number", "session", "total_requests"),
  session_created_at: joined("timestamp", "session", "created_at"),
  session_latest_request_created_at: joined("timestamp", "session", "latest_request_created_at"),
};

/** A group is a table of fields, or a single object-valued field. */
export type Group = Readonly<Record<string, Field>> | Field;

/** All groups and fields of the filter grammar. */
export const GROUPS: Readonly<Record<string, Group>> = {
  request: REQUEST,
  response: RESPONSE,
  feedback: FEEDBACK,
  request_response_rmt: REQUEST_RESPONSE,
  sessions_request_response_rmt: SESSIONS,
  properties: PROPERTIES,
  values: VALUES,
};

/** The flags beside a filter, as SQL. */
export const FLAGS = {
  isCached: "r.cached",
  isScored: "(r.scores <> '{}' or r.feedback_id is not null)",
  isPartOfExperiment: "(r.experiment_id is not null)",
} as const;

export function isField(group: Group): group is Field {
  return "source" in group;
}
