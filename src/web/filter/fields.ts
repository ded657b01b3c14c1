export type FieldKind = "text" | "number" | "time" | "boolean" | "contains" | "key";

export interface FilterField {
  readonly id: string;
  readonly label: string;
  readonly kind: FieldKind;
  /** Group and field of the API's grammar. */
  readonly path: readonly [group: string, field?: string];
  /** What holds names of its own: asked for beside the field. */
  readonly named?: string;
  /** What the number counts. */
  readonly unit?: string;
}

const usual = (
  id: string,
  label: string,
  kind: FieldKind,
  field: string,
  more: Partial<FilterField> = {},
): FilterField => ({
  id,
  label,
  kind,
  path: ["request_response_rmt", field],
  ...more,
});
const other = (id: string, label: string, kind: FieldKind, group: string, field: string): FilterField => ({
  id,
  label,
  kind,
  path: [group, field],
});

/** What requests can be filtered by, in the order of a menu. The API knows each by its path. */
export const FILTER_FIELDS: readonly FilterField[] = [
  usual("user", "User", "text", "user_id"),
  usual("model", "Model", "text", "model"),
  usual("provider", "Provider", "text", "provider"),
  usual("status", "Status", "number", "status"),
  usual("property", "Property", "text", "properties", { named: "Property name" }),
  usual("latency", "Latency", "number", "latency", { unit: "ms" }),
  usual("first_token", "First token", "number", "time_to_first_token", { unit: "ms" }),
  usual("cost", "Cost", "number", "cost", { unit: "US$" }),
  usual("tokens", "Tokens", "number", "total_tokens"),
  usual("prompt_tokens", "Prompt tokens", "number", "prompt_tokens"),
  usual("completion_tokens", "Completion tokens", "number", "completion_tokens"),
  usual("cache_read", "Tokens read from cache", "number", "prompt_cache_read_tokens"),
  usual("cached", "Answered from cache", "boolean", "cached"),
  other("prompt", "Prompt text", "text", "request", "prompt"),
  other("answer", "Answer text", "text", "response", "body_completion"),
  usual("request_body", "Request body", "contains", "request_body"),
  usual("response_body", "Response body", "contains", "response_body"),
  other("session", "Session", "text", "sessions_request_response_rmt", "session_session_id"),
  other("session_name", "Session name", "text", "sessions_request_response_rmt", "session_session_name"),
  other("session_tag", "Session tag", "text", "sessions_request_response_rmt", "session_tag"),
  usual("id", "Request id", "text", "request_id"),
  other("path", "Path", "text", "request", "path"),
  usual("target", "Target", "text", "target_url"),
  usual("has_property", "Has property", "key", "property_key"),
  usual("score", "Score", "number", "scores", { named: "Score name" }),
  usual("feedback", "Feedback is positive", "boolean", "gateway-score-feedback"),
  { id: "input", label: "Prompt input", kind: "text", path: ["values"], named: "Input name" },
  usual("prompt_id", "Prompt id", "text", "prompt_id"),
  usual("prompt_version", "Prompt version", "text", "prompt_version"),
  usual("created", "Time", "time", "request_created_at"),
  usual("answered", "Time of answer", "time", "response_created_at"),
  usual("attempt_of", "Attempt of request", "text", "attempt_of"),
  usual("cache_reference", "Cached answer of request", "text", "cache_reference_id"),
  usual("country", "Country", "text", "country_code"),
  usual("referrer", "Referrer", "text", "request_referrer"),
  usual("job", "Job id", "text", "job_id"),
  usual("node", "Node id", "text", "node_id"),
  usual("threat", "Threat", "boolean", "threat"),
];

export const FIELD_BY_ID: ReadonlyMap<string, FilterField> = new Map(FILTER_FIELDS.map((field) => [field.id, field]));

export interface FilterOperator {
  readonly id: string;
  readonly label: string;
  /** Name in the API's grammar. */
  readonly wire: string;
  /** Where the operator itself says what is compared with. */
  readonly fixed?: null;
}

const operator = (id: string, label: string, wire = id): FilterOperator => ({ id, label, wire });
const IS_MISSING: FilterOperator = { id: "missing", label: "is missing", wire: "equals", fixed: null };
const MISSING: readonly FilterOperator[] = [
  IS_MISSING,
  { id: "present", label: "is there", wire: "not-equals", fixed: null },
];

/** What each kind of field can be asked. */
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
