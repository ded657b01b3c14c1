import { type TProperties, type TSchema, Type } from "@sinclair/typebox";

/** The `data` of responses: named schemas, and the schema of each endpoint. A test checks responses against them. */

const text = Type.String();
const time = Type.String({ format: "date-time" });
const whole = Type.Integer();
const number = Type.Number();
const flag = Type.Boolean();
/** Any JSON. */
const json = Type.Unknown();
const texts = Type.Array(text);
const object = Type.Object({}, { additionalProperties: true });

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const optional = <T extends TSchema>(schema: T) => Type.Optional(schema);
const named = (values: TSchema) => Type.Record(Type.String(), values);
const objects = (properties: TProperties) => Type.Array(Type.Object(properties));

/** Several members with the same schema. */
const each = (names: string, schema: TSchema): TProperties =>
  Object.fromEntries(names.split(" ").map((name) => [name, schema]));

const SUMS = each("prompt_tokens completion_tokens total_tokens", nullable(whole));
const COUNTS = each("requests errors refused", whole);
const TIMES = { created_at: time, updated_at: time };
const OWNED = { id: text, name: text, shared: flag, owner: nullable(text), own: flag };

const RequestRecord = Type.Object({
  ...each("request_id organization_id request_method", text),
  ...each("provider request_path request_referrer request_user_id request_model model_override model", nullable(text)),
  ...each("routed_model target_url gateway_user auth_hash country_code response_id response_model", nullable(text)),
  response_status: nullable(whole),
  ...each("outcome finish_reason error_code unread cost_source", nullable(text)),
  ...each("error_message input output", optional(nullable(text))),
  size_bytes: whole,
  ...SUMS,
  ...each("prompt_cache_write_tokens prompt_cache_read_tokens prompt_audio_tokens", nullable(whole)),
  ...each("completion_audio_tokens reasoning_tokens attempt", nullable(whole)),
  ...each("session_id session_name session_path prompt_id prompt_version node_id job_id experiment_id", nullable(text)),
  ...each("attempt_of route route_reason credential cache_reference_id threat", nullable(text)),
  ...each("ai_gateway_body_mapping storage_location", text),
  comments: whole,
  request_created_at: time,
  response_created_at: nullable(time),
  ...each("delay_ms time_to_first_token", nullable(whole)),
  ...each("streamed truncated usage_estimated cache_enabled cached is_passthrough_billing", flag),
  ...each("cost costUSD", nullable(number)),
  ...each("request_properties properties", named(text)),
  scores: named(number),
  feedback_id: nullable(text),
  feedback_rating: nullable(flag),
  ...each("feedback_created_at cache_created_at", nullable(time)),
  gateway_warnings: texts,
  ...each("assets asset_ids", optional(texts)),
  updated_at: time,
  asset_urls: optional(named(text)),
  signed_body_url: optional(text),
  stored_bytes: optional(nullable(whole)),
  ...each("prompt_inputs request_body response_body provider_request provider_response llmSchema", optional(json)),
});

const MetricsRow = Type.Object(
  {
    time: optional(time),
    ...COUNTS,
    cache_hits: whole,
    ...each("error_rate cost", nullable(number)),
    ...SUMS,
    ...each("latency_avg latency_p50 latency_p90 latency_p95 latency_p99", optional(nullable(number))),
    ...each("time_to_first_token_p50 time_to_first_token_p95", optional(nullable(number))),
    ...each("tokens_per_second_p50 tokens_per_second_p95", optional(nullable(number))),
    scores: optional(named(Type.Object({ count: whole, ...each("mean min max", nullable(number)) }))),
  },
  { additionalProperties: true, description: "Also one member per name of group_by." },
);

const Place = Type.Object(each("x y w h", whole));
const Panel = Type.Object({
  ...each("title kind", text),
  ...each("metrics split_by", texts),
  groups: whole,
  filter: json,
  range: nullable(text),
  thresholds: objects({ comparison: text, value: number, colour: text }),
  place: Place,
});
const SHIPPED = { ...OWNED, shipped: flag, description: text, created_at: nullable(time), updated_at: nullable(time) };

const Alert = Type.Object({
  ...each("id name metric comparison state", text),
  threshold: number,
  ...each("window_seconds minimum_requests cooldown_seconds", whole),
  ...each("calendar time_zone error", nullable(text)),
  filter: json,
  group_by: texts,
  channels: Type.Array(object),
  enabled: flag,
  firing: objects({ group: object, value: nullable(number), triggered_at: time }),
  ...TIMES,
  checked_at: nullable(time),
});

const Dataset = Type.Object({
  ...each("id name description created_by", text),
  ...each("version items", whole),
  ...TIMES,
});

export const SCHEMAS = {
  RequestRecord,
  MetricsRow,
  UserTotals: Type.Object({
    user_id: nullable(text),
    ...COUNTS,
    cost: nullable(number),
    ...SUMS,
    ...each("first_active last_active", time),
  }),
  Session: Type.Object({
    ...each("session_id session_name", nullable(text)),
    users: texts,
    ...COUNTS,
    cost: nullable(number),
    ...SUMS,
    ...each("created_at latest_request_created_at", time),
    stored_bytes: optional(whole),
  }),
  Facet: Type.Object({ name: text, values: objects({ value: json, requests: whole }), more: flag }),
  Model: Type.Object({ ...each("provider model state", text), count: whole, reason: nullable(text), since: time }),
  Price: Type.Object({ ...each("provider model source", text) }, { additionalProperties: true }),
  ServiceKey: Type.Object({
    ...each("id name organization region", text),
    scopes: texts,
    created_at: time,
    ...each("expires_at last_used_at revoked_at previous_until", nullable(time)),
    models: nullable(texts),
    credentials: nullable(texts),
    ...each("user_id user stopped", nullable(text)),
  }),
  View: Type.Object({
    ...OWNED,
    filter: json,
    ...each("search range from to", nullable(text)),
    sort: nullable(object),
    columns: nullable(objects({ id: text, width: optional(number) })),
    ...TIMES,
  }),
  Panel,
  ListedDashboard: Type.Object({ ...SHIPPED, panels: whole }),
  Dashboard: Type.Object({ ...SHIPPED, range: text, filter: json, panels: Type.Array(Panel) }),
  Dataset,
  DatasetItem: Type.Object({
    id: text,
    version: whole,
    request_id: nullable(text),
    input: json,
    output: json,
    labels: texts,
    note: text,
    created_at: time,
  }),
  Alert,
  Webhook: Type.Object({
    ...each("id url name", text),
    events: texts,
    property_filters: Type.Array(object),
    sample_rate: number,
    fields: texts,
    ...each("include_body enabled", flag),
    ...TIMES,
  }),
  Delivery: Type.Object({
    ...each("id kind endpoint_id state", text),
    ...each("subject_id last_error", nullable(text)),
    attempts: whole,
    last_status: nullable(whole),
    created_at: time,
    ...each("next_attempt_at finished_at", nullable(time)),
  }),
  Route: Type.Object({ ...each("name strategy", text), targets: Type.Array(object) }, { additionalProperties: true }),
  Credential: Type.Object(
    { ...each("id name provider source state", text), ...each("enabled shared", flag) },
    { additionalProperties: true },
  ),
  AuditEntry: Type.Object({
    seq: whole,
    time,
    ...each("organization organization_id address request_id", nullable(text)),
    actor: Type.Object(each("kind id name", text)),
    object: Type.Object(each("kind id name", text)),
    ...each("action outcome hash", text),
    change: Type.Object({ before: json, after: json }),
  }),
  Caller: Type.Object({
    ...each("kind id name", text),
    email: nullable(text),
    organization: Type.Object(each("id name", text)),
    organizations: objects({ ...each("id name", text), role: nullable(text) }),
    role: nullable(text),
    permissions: texts,
  }),
  Organization: Type.Object({
    ...each("id name", text),
    max_key_days: nullable(whole),
    ...each("members keys", whole),
    created_at: time,
  }),
  CacheTotals: Type.Object({
    ...each("hits misses saved_tokens entries bytes max_bytes", whole),
    saved_cost: number,
    hit_rate: nullable(number),
  }),
  Plugin: Type.Object(
    { ...each("name state source file", text), reason: nullable(text), ...each("hooks routes", texts) },
    { additionalProperties: true },
  ),
  Provider: Type.Object(
    { ...each("name state source file", text), reason: nullable(text), ...each("aliases hosts", texts) },
    { additionalProperties: true },
  ),
} as const satisfies Readonly<Record<string, TSchema>>;

type Name = keyof typeof SCHEMAS;

/** A reference to a named schema. */
const one = (name: Name): TSchema => Type.Unsafe({ $ref: `#/components/schemas/${name}` });
const list = (name: Name): TSchema => Type.Array(one(name));

/** The `data` of the endpoints listed here; that of others may be anything. */
export const DATA_OF: Readonly<Record<string, TSchema>> = {
  "POST /v1/request/query": list("RequestRecord"),
  "POST /v1/request/query-fast": list("RequestRecord"),
  "POST /v1/request/query-ids": list("RequestRecord"),
  "GET /v1/request/:id": one("RequestRecord"),
  "POST /v1/request/count/query": whole,
  "POST /v1/request/facets/query": list("Facet"),
  "GET /v1/request/:id/comments": objects({ ...each("id author text", text), own: flag, created_at: time }),
  "POST /v1/metrics/query": list("MetricsRow"),
  "POST /v1/user/metrics/query": list("UserTotals"),
  "POST /v1/session/query": list("Session"),
  "GET /v1/session/:id/tag": Type.Object({ session_id: text, tag: nullable(text) }),
  "POST /v1/property/query": objects({ property: text }),
  "POST /v1/property/:name/search": objects({ value: text }),
  "GET /v1/models": list("Model"),
  "GET /v1/models/prices": list("Price"),
  "GET /v1/models/prices/in-force": list("Price"),
  "GET /v1/keys": list("ServiceKey"),
  "PATCH /v1/keys/:id": one("ServiceKey"),
  "GET /v1/me": one("Caller"),
  "GET /v1/views": list("View"),
  "GET /v1/views/:id": one("View"),
  "POST /v1/views": one("View"),
  "PATCH /v1/views/:id": one("View"),
  "GET /v1/dashboards": list("ListedDashboard"),
  "GET /v1/dashboards/:id": one("Dashboard"),
  "POST /v1/dashboards": one("Dashboard"),
  "PUT /v1/dashboards/:id": one("Dashboard"),
  "GET /v1/datasets": list("Dataset"),
  "GET /v1/datasets/:id": one("Dataset"),
  "POST /v1/datasets": one("Dataset"),
  "GET /v1/datasets/:id/items": list("DatasetItem"),
  "GET /v1/alerts": list("Alert"),
  "GET /v1/alerts/:id": one("Alert"),
  "POST /v1/alerts": one("Alert"),
  "GET /v1/alerts/:id/deliveries": list("Delivery"),
  "GET /v1/webhooks": list("Webhook"),
  "GET /v1/webhooks/:id": one("Webhook"),
  "GET /v1/webhooks/:id/deliveries": list("Delivery"),
  "GET /v1/credentials": list("Credential"),
  "GET /v1/routes": list("Route"),
  "GET /v1/audit": list("AuditEntry"),
  "GET /v1/organizations": list("Organization"),
  "GET /v1/cache": one("CacheTotals"),
  "GET /v1/plugins": list("Plugin"),
  "GET /v1/providers": list("Provider"),
};
