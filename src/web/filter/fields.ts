type FieldKind = "text" | "number" | "time" | "boolean" | "contains" | "key";

export interface FilterField {
  readonly id: string;
  readonly label: string;
  readonly kind: FieldKind;
  /** Group and field of the API's grammar. */
  readonly path: readonly [group: string, field?: string];
  /** For fields with names of their own: the label of the name's input. */
  readonly named?: string;
  /** The number's unit. */
  readonly unit?: string;
}

const RMT = "request_response_rmt";
const SESSIONS = "sessions_request_response_rmt";
/** Label of the name's input for property fields. */
export const PROPERTY_NAME = "Property name";
const MS = { unit: "ms" };
const DOLLARS = { unit: "US$" };

/** The fields that requests can be filtered by, in the order of a menu and under its headings. `path` is the API's name. */
export const FIELD_SECTIONS: readonly (readonly [heading: string, fields: readonly FilterField[]])[] = [
  [
    "Request",
    [
      field("user", "User", "text", [RMT, "user_id"]),
      field("model", "Model", "text", [RMT, "model"]),
      field("provider", "Provider", "text", [RMT, "provider"]),
      field("route", "Route", "text", [RMT, "route"]),
      field("credential", "Credential", "text", [RMT, "credential"]),
      field("status", "Status", "number", [RMT, "status"]),
      field("outcome", "Outcome", "text", [RMT, "outcome"]),
      field("finish_reason", "Finish reason", "text", [RMT, "finish_reason"]),
      field("error_code", "Error code", "text", [RMT, "error_code"]),
      field("key", "Key name", "text", [RMT, "gateway_user"]),
      field("property", "Property", "text", [RMT, "properties"], { named: PROPERTY_NAME }),
      field("property_any_case", "Property, in any case", "text", [RMT, "search_properties"], { named: PROPERTY_NAME }),
      field("has_property", "Has property", "key", [RMT, "property_key"]),
      field("created", "Time", "time", [RMT, "request_created_at"]),
      field("answered", "Time of response", "time", [RMT, "response_created_at"]),
      field("latency", "Latency", "number", [RMT, "latency"], MS),
      field("first_token", "First token", "number", [RMT, "time_to_first_token"], MS),
      field("path", "Path", "text", ["request", "path"]),
      field("target", "Target", "text", [RMT, "target_url"]),
      field("id", "Request id", "text", [RMT, "request_id"]),
    ],
  ],
  [
    "Cost and tokens",
    [
      field("cost", "Cost", "number", [RMT, "cost"], DOLLARS),
      field("tokens", "Tokens", "number", [RMT, "total_tokens"]),
      field("prompt_tokens", "Input tokens", "number", [RMT, "prompt_tokens"]),
      field("completion_tokens", "Output tokens", "number", [RMT, "completion_tokens"]),
      field("cache_read", "Tokens read from the provider's cache", "number", [RMT, "prompt_cache_read_tokens"]),
      field("cache_write", "Tokens written to the provider's cache", "number", [RMT, "prompt_cache_write_tokens"]),
    ],
  ],
  [
    "Text",
    [
      field("said", "Input", "text", [RMT, "input"]),
      field("output", "Output", "text", [RMT, "output"]),
      field("prompt", "Prompt text", "text", ["request", "prompt"]),
      field("answer", "Response text", "text", ["response", "body_completion"]),
      field("request_body", "Request body", "contains", [RMT, "request_body"]),
      field("response_body", "Response body", "contains", [RMT, "response_body"]),
    ],
  ],
  [
    "Session",
    [
      field("session", "Session", "text", [SESSIONS, "session_session_id"]),
      field("session_name", "Session name", "text", [SESSIONS, "session_session_name"]),
      field("session_tag", "Session tag", "text", [SESSIONS, "session_tag"]),
      field("session_cost", "Cost of the session", "number", [SESSIONS, "session_total_cost"], DOLLARS),
      field("session_tokens", "Tokens of the session", "number", [SESSIONS, "session_total_tokens"]),
      field("session_requests", "Requests of the session", "number", [SESSIONS, "session_total_requests"]),
      field("session_began", "Session's first request", "time", [SESSIONS, "session_created_at"]),
      field("session_last", "Session's last request", "time", [SESSIONS, "session_latest_request_created_at"]),
    ],
  ],
  [
    "Cache and attempts",
    [
      field("cached", "Served from cache", "boolean", [RMT, "cached"]),
      field("cache_enabled", "Cache enabled", "boolean", [RMT, "cache_enabled"]),
      field("cache_reference", "Cached response of request", "text", [RMT, "cache_reference_id"]),
      field("attempt_of", "Attempt of request", "text", [RMT, "attempt_of"]),
    ],
  ],
  [
    "Scores and prompts",
    [
      field("score", "Score", "number", [RMT, "scores"], { named: "Score name" }),
      field("feedback", "Feedback is positive", "boolean", [RMT, "gateway-score-feedback"]),
      field("comments", "Comments", "number", [RMT, "comments"]),
      field("feedback_time", "Time of feedback", "time", ["feedback", "created_at"]),
      field("input", "Prompt input", "text", ["values"], { named: "Input name" }),
      field("prompt_id", "Prompt id", "text", [RMT, "prompt_id"]),
      field("prompt_version", "Prompt version", "text", [RMT, "prompt_version"]),
    ],
  ],
  [
    "More",
    [
      field("request_model", "Requested model", "text", ["request", "model"]),
      field("routed_model", "Model sent to the provider", "text", [RMT, "routed_model"]),
      field("response_model", "Responding model", "text", ["response", "body_model"]),
      field("model_override", "Model override", "text", ["request", "modelOverride"]),
      field("response_id", "Response id", "text", ["feedback", "response_id"]),
      field("asset", "Asset id", "text", [RMT, "assets"]),
      field("country", "Country", "text", [RMT, "country_code"]),
      field("referrer", "Referrer", "text", [RMT, "request_referrer"]),
      field("job", "Job id", "text", [RMT, "job_id"]),
      field("node", "Node id", "text", [RMT, "node_id"]),
      field("threat", "Threat", "boolean", [RMT, "threat"]),
    ],
  ],
];

export const FILTER_FIELDS: readonly FilterField[] = FIELD_SECTIONS.flatMap(([, fields]) => fields);

export const FIELD_BY_ID: ReadonlyMap<string, FilterField> = new Map(FILTER_FIELDS.map((field) => [field.id, field]));

interface FilterOperator {
  readonly id: string;
  readonly label: string;
  /** Name in the API's grammar. */
  readonly wire: string;
  /** Set if the operator implies the value. */
  readonly fixed?: null;
}

const operator = (id: string, label: string, wire = id): FilterOperator => ({ id, label, wire });
const IS_MISSING: FilterOperator = { id: "missing", label: "is missing", wire: "equals", fixed: null };
const MISSING: readonly FilterOperator[] = [
  IS_MISSING,
  { id: "present", label: "is there", wire: "not-equals", fixed: null },
];

/** The operators of each kind of field. */
export const FILTER_OPERATORS: Readonly<Record<FieldKind, readonly FilterOperator[]>> = {
  text: [
    operator("equals", "is"),
    operator("not-equals", "is not"),
    operator("contains", "contains"),
    operator("not-contains", "does not contain"),
    operator("like", "is like (% and _, case counts)"),
    operator("ilike", "is like (% and _)"),
    ...MISSING,
  ],
  number: [
    operator("equals", "="),
    operator("not-equals", "≠"),
    operator("gte", "≥"),
    operator("gt", ">"),
    operator("lte", "≤"),
    operator("lt", "<"),
    ...MISSING,
  ],
  time: [operator("gte", "from"), operator("gt", "after"), operator("lte", "up to"), operator("lt", "before")],
  boolean: [operator("equals", "is"), IS_MISSING],
  contains: [operator("contains", "contains")],
  key: [operator("equals", "is")],
};

// biome-ignore lint/complexity/useMaxParams: a table row: positional arguments keep the columns aligned
function field(
  id: string,
  label: string,
  kind: FieldKind,
  path: FilterField["path"],
  more: Pick<FilterField, "named" | "unit"> = {},
): FilterField {
  return { id, label, kind, path, ...more };
}
