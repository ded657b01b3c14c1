/** What a column holds, for formats that have types. `json` is JSON text, and so is a value of a kind nobody foresaw. */
export type Kind = "text" | "integer" | "number" | "boolean" | "time" | "json";

export interface Column {
  readonly name: string;
  readonly kind: Kind;
  /** Set for a column that shows one custom property. */
  readonly property?: string;
}

/** The members of a record in the order of their columns. */
const RECORD: Readonly<Record<string, Kind>> = {
  request_id: "text",
  request_created_at: "time",
  request_method: "text",
  request_path: "text",
  request_user_id: "text",
  request_model: "text",
  request_referrer: "text",
  response_id: "text",
  response_created_at: "time",
  response_status: "integer",
  response_model: "text",
  outcome: "text",
  finish_reason: "text",
  comments: "integer",
  error_code: "text",
  error_message: "text",
  input: "text",
  output: "text",
  model: "text",
  model_override: "text",
  routed_model: "text",
  provider: "text",
  target_url: "text",
  delay_ms: "number",
  time_to_first_token: "number",
  total_tokens: "integer",
  prompt_tokens: "integer",
  prompt_cache_write_tokens: "integer",
  prompt_cache_read_tokens: "integer",
  prompt_audio_tokens: "integer",
  completion_tokens: "integer",
  completion_audio_tokens: "integer",
  reasoning_tokens: "integer",
  usage_estimated: "boolean",
  cost: "number",
  costUSD: "number",
  cost_source: "text",
  organization_id: "text",
  gateway_user: "text",
  auth_hash: "text",
  session_id: "text",
  session_name: "text",
  session_path: "text",
  prompt_id: "text",
  prompt_version: "text",
  node_id: "text",
  job_id: "text",
  experiment_id: "text",
  country_code: "text",
  streamed: "boolean",
  truncated: "boolean",
  unread: "text",
  size_bytes: "integer",
  attempt_of: "text",
  attempt: "integer",
  route: "text",
  route_reason: "text",
  credential: "text",
  gateway_warnings: "json",
  cache_enabled: "boolean",
  cached: "boolean",
  cache_reference_id: "text",
  cache_created_at: "time",
  threat: "boolean",
  is_passthrough_billing: "boolean",
  ai_gateway_body_mapping: "text",
  feedback_id: "text",
  feedback_created_at: "time",
  feedback_rating: "boolean",
  scores: "json",
  assets: "json",
  asset_ids: "json",
  storage_location: "text",
  updated_at: "time",
  request_properties: "json",
  properties: "json",
  prompt_inputs: "json",
};

/** Only there with `--include-body`. */
const BODIES: Readonly<Record<string, Kind>> = {
  request_body: "json",
  response_body: "json",
  provider_request: "json",
  provider_response: "json",
  llmSchema: "json",
};

/** Signed addresses: they expire, and differ each time they are asked for. */
export const EXPIRING: ReadonlySet<string> = new Set(["signed_body_url", "asset_urls"]);

/**
 * The columns of a table, in their order: the record's names, names that only this service's records have, properties.
 *
 * @param found - member names of a record as the service sends it now; a newer one may send more than we know.
 * @param properties - names of custom properties, in any order.
 */
export function tableColumns(found: readonly string[], properties: readonly string[], includeBody: boolean): Column[] {
  const known = { ...RECORD, ...(includeBody ? BODIES : {}) };
  const more = found.filter(
    (name) => !Object.hasOwn(known, name) && !Object.hasOwn(BODIES, name) && !EXPIRING.has(name),
  );
  return [
    ...Object.entries(known).map(([name, kind]) => ({ name, kind })),
    ...more.map((name) => ({ name, kind: "json" as const })),
    ...[...new Set(properties)].sort().map((property) => ({
      name: `property:${property}`,
      kind: "text" as const,
      property,
    })),
  ];
}
