// Written by build/client.ts from the description of the API.

type Nothing = Record<never, never>;

export interface RequestRecord {
  readonly request_id: string;
  readonly organization_id: string;
  readonly request_method: string;
  readonly provider: string | null;
  readonly request_path: string | null;
  readonly request_referrer: string | null;
  readonly request_user_id: string | null;
  readonly request_model: string | null;
  readonly model_override: string | null;
  readonly model: string | null;
  readonly routed_model: string | null;
  readonly target_url: string | null;
  readonly gateway_user: string | null;
  readonly auth_hash: string | null;
  readonly country_code: string | null;
  readonly response_id: string | null;
  readonly response_model: string | null;
  readonly response_status: number | null;
  readonly outcome: string | null;
  readonly finish_reason: string | null;
  readonly error_code: string | null;
  readonly unread: string | null;
  readonly cost_source: string | null;
  readonly error_message?: string | null;
  readonly input?: string | null;
  readonly output?: string | null;
  readonly size_bytes: number;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly total_tokens: number | null;
  readonly prompt_cache_write_tokens: number | null;
  readonly prompt_cache_read_tokens: number | null;
  readonly prompt_audio_tokens: number | null;
  readonly completion_audio_tokens: number | null;
  readonly reasoning_tokens: number | null;
  readonly attempt: number | null;
  readonly session_id: string | null;
  readonly session_name: string | null;
  readonly session_path: string | null;
  readonly prompt_id: string | null;
  readonly prompt_version: string | null;
  readonly node_id: string | null;
  readonly job_id: string | null;
  readonly experiment_id: string | null;
  readonly attempt_of: string | null;
  readonly route: string | null;
  readonly route_reason: string | null;
  readonly credential: string | null;
  readonly cache_reference_id: string | null;
  readonly threat: string | null;
  readonly ai_gateway_body_mapping: string;
  readonly storage_location: string;
  readonly comments: number;
  readonly request_created_at: string;
  readonly response_created_at: string | null;
  readonly delay_ms: number | null;
  readonly time_to_first_token: number | null;
  readonly streamed: boolean;
  readonly truncated: boolean;
  readonly usage_estimated: boolean;
  readonly cache_enabled: boolean;
  readonly cached: boolean;
  readonly is_passthrough_billing: boolean;
  readonly cost: number | null;
  readonly costUSD: number | null;
  readonly request_properties: {
    readonly [name: string]: string;
  };
  readonly properties: {
    readonly [name: string]: string;
  };
  readonly scores: {
    readonly [name: string]: number;
  };
  readonly feedback_id: string | null;
  readonly feedback_rating: boolean | null;
  readonly feedback_created_at: string | null;
  readonly cache_created_at: string | null;
  readonly gateway_warnings: readonly (string)[];
  readonly assets?: readonly (string)[];
  readonly asset_ids?: readonly (string)[];
  readonly updated_at: string;
  readonly asset_urls?: {
    readonly [name: string]: string;
  };
  readonly signed_body_url?: string;
  readonly stored_bytes?: number | null;
  readonly prompt_inputs?: unknown;
  readonly request_body?: unknown;
  readonly response_body?: unknown;
  readonly provider_request?: unknown;
  readonly provider_response?: unknown;
  readonly llmSchema?: unknown;
}

export interface MetricsRow {
  readonly time?: string;
  readonly requests: number;
  readonly errors: number;
  readonly refused: number;
  readonly cache_hits: number;
  readonly error_rate: number | null;
  readonly cost: number | null;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly total_tokens: number | null;
  readonly latency_avg?: number | null;
  readonly latency_p50?: number | null;
  readonly latency_p90?: number | null;
  readonly latency_p95?: number | null;
  readonly latency_p99?: number | null;
  readonly time_to_first_token_p50?: number | null;
  readonly time_to_first_token_p95?: number | null;
  readonly tokens_per_second_p50?: number | null;
  readonly tokens_per_second_p95?: number | null;
  readonly scores?: {
    readonly [name: string]: {
      readonly count: number;
      readonly mean: number | null;
      readonly min: number | null;
      readonly max: number | null;
    };
  };
  readonly [name: string]: unknown;
}

export interface UserTotals {
  readonly user_id: string | null;
  readonly requests: number;
  readonly errors: number;
  readonly refused: number;
  readonly cost: number | null;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly total_tokens: number | null;
  readonly first_active: string;
  readonly last_active: string;
}

export interface Session {
  readonly session_id: string | null;
  readonly session_name: string | null;
  readonly users: readonly (string)[];
  readonly requests: number;
  readonly errors: number;
  readonly refused: number;
  readonly cost: number | null;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly total_tokens: number | null;
  readonly created_at: string;
  readonly latest_request_created_at: string;
  readonly stored_bytes?: number;
}

export interface Facet {
  readonly name: string;
  readonly values: readonly ({
    readonly value: unknown;
    readonly requests: number;
  })[];
  readonly more: boolean;
}

export interface Model {
  readonly provider: string;
  readonly model: string;
  readonly state: string;
  readonly count: number;
  readonly reason: string | null;
  readonly since: string;
}

export interface Price {
  readonly provider: string;
  readonly model: string;
  readonly source: string;
  readonly [name: string]: unknown;
}

export interface ServiceKey {
  readonly id: string;
  readonly name: string;
  readonly organization: string;
  readonly region: string;
  readonly scopes: readonly (string)[];
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
  readonly revoked_at: string | null;
  readonly previous_until: string | null;
  readonly models: readonly (string)[] | null;
  readonly credentials: readonly (string)[] | null;
  readonly user_id: string | null;
  readonly user: string | null;
  readonly stopped: string | null;
}

export interface View {
  readonly id: string;
  readonly name: string;
  readonly shared: boolean;
  readonly owner: string | null;
  readonly own: boolean;
  readonly filter: unknown;
  readonly search: string | null;
  readonly range: string | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly sort: {
    readonly [name: string]: unknown;
  } | null;
  readonly columns: readonly ({
    readonly id: string;
    readonly width?: number;
  })[] | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface Panel {
  readonly title: string;
  readonly kind: string;
  readonly metrics: readonly (string)[];
  readonly split_by: readonly (string)[];
  readonly groups: number;
  readonly filter: unknown;
  readonly range: string | null;
  readonly thresholds: readonly ({
    readonly comparison: string;
    readonly value: number;
    readonly colour: string;
  })[];
  readonly place: {
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly h: number;
  };
}

export interface ListedDashboard {
  readonly id: string;
  readonly name: string;
  readonly shared: boolean;
  readonly owner: string | null;
  readonly own: boolean;
  readonly shipped: boolean;
  readonly description: string;
  readonly created_at: string | null;
  readonly updated_at: string | null;
  readonly panels: number;
}

export interface Dashboard {
  readonly id: string;
  readonly name: string;
  readonly shared: boolean;
  readonly owner: string | null;
  readonly own: boolean;
  readonly shipped: boolean;
  readonly description: string;
  readonly created_at: string | null;
  readonly updated_at: string | null;
  readonly range: string;
  readonly filter: unknown;
  readonly panels: readonly ({
    readonly title: string;
    readonly kind: string;
    readonly metrics: readonly (string)[];
    readonly split_by: readonly (string)[];
    readonly groups: number;
    readonly filter: unknown;
    readonly range: string | null;
    readonly thresholds: readonly ({
      readonly comparison: string;
      readonly value: number;
      readonly colour: string;
    })[];
    readonly place: {
      readonly x: number;
      readonly y: number;
      readonly w: number;
      readonly h: number;
    };
  })[];
}

export interface Dataset {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly created_by: string;
  readonly version: number;
  readonly items: number;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface DatasetItem {
  readonly id: string;
  readonly version: number;
  readonly request_id: string | null;
  readonly input: unknown;
  readonly output: unknown;
  readonly labels: readonly (string)[];
  readonly note: string;
  readonly created_at: string;
}

export interface Alert {
  readonly id: string;
  readonly name: string;
  readonly metric: string;
  readonly comparison: string;
  readonly state: string;
  readonly threshold: number;
  readonly window_seconds: number;
  readonly minimum_requests: number;
  readonly cooldown_seconds: number;
  readonly calendar: string | null;
  readonly time_zone: string | null;
  readonly error: string | null;
  readonly filter: unknown;
  readonly group_by: readonly (string)[];
  readonly channels: readonly ({
    readonly [name: string]: unknown;
  })[];
  readonly enabled: boolean;
  readonly firing: readonly ({
    readonly group: {
      readonly [name: string]: unknown;
    };
    readonly value: number | null;
    readonly triggered_at: string;
  })[];
  readonly created_at: string;
  readonly updated_at: string;
  readonly checked_at: string | null;
}

export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly name: string;
  readonly events: readonly (string)[];
  readonly property_filters: readonly ({
    readonly [name: string]: unknown;
  })[];
  readonly sample_rate: number;
  readonly fields: readonly (string)[];
  readonly include_body: boolean;
  readonly enabled: boolean;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface Delivery {
  readonly id: string;
  readonly kind: string;
  readonly endpoint_id: string;
  readonly state: string;
  readonly subject_id: string | null;
  readonly last_error: string | null;
  readonly attempts: number;
  readonly last_status: number | null;
  readonly created_at: string;
  readonly next_attempt_at: string | null;
  readonly finished_at: string | null;
}

export interface Route {
  readonly name: string;
  readonly strategy: string;
  readonly targets: readonly ({
    readonly [name: string]: unknown;
  })[];
  readonly [name: string]: unknown;
}

export interface Credential {
  readonly id: string;
  readonly name: string;
  readonly provider: string;
  readonly source: string;
  readonly state: string;
  readonly enabled: boolean;
  readonly shared: boolean;
  readonly [name: string]: unknown;
}

export interface AuditEntry {
  readonly seq: number;
  readonly time: string;
  readonly organization: string | null;
  readonly organization_id: string | null;
  readonly address: string | null;
  readonly request_id: string | null;
  readonly actor: {
    readonly kind: string;
    readonly id: string;
    readonly name: string;
  };
  readonly object: {
    readonly kind: string;
    readonly id: string;
    readonly name: string;
  };
  readonly action: string;
  readonly outcome: string;
  readonly hash: string;
  readonly change: {
    readonly before: unknown;
    readonly after: unknown;
  };
}

export interface Caller {
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly organization: {
    readonly id: string;
    readonly name: string;
  };
  readonly organizations: readonly ({
    readonly id: string;
    readonly name: string;
    readonly role: string | null;
  })[];
  readonly role: string | null;
  readonly permissions: readonly (string)[];
}

export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly max_key_days: number | null;
  readonly members: number;
  readonly keys: number;
  readonly created_at: string;
}

export interface CacheTotals {
  readonly hits: number;
  readonly misses: number;
  readonly saved_tokens: number;
  readonly entries: number;
  readonly bytes: number;
  readonly max_bytes: number;
  readonly saved_cost: number;
  readonly hit_rate: number | null;
}

export interface Plugin {
  readonly name: string;
  readonly state: string;
  readonly source: string;
  readonly file: string;
  readonly reason: string | null;
  readonly hooks: readonly (string)[];
  readonly routes: readonly (string)[];
  readonly [name: string]: unknown;
}

export interface Provider {
  readonly name: string;
  readonly state: string;
  readonly source: string;
  readonly file: string;
  readonly reason: string | null;
  readonly aliases: readonly (string)[];
  readonly hosts: readonly (string)[];
  readonly [name: string]: unknown;
}

/** Every endpoint whose body and response are JSON. */
export interface Operations {
  /** Read requests by id */
  readonly "POST /v1/request/query-ids": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: {
      /** Up to 1000 request ids. */
      readonly requestIds: readonly (string)[];
      readonly includeBody?: boolean | null;
      readonly includeInputs?: boolean | null;
      readonly includeStoredBytes?: boolean | null;
    };
    readonly data: readonly (RequestRecord)[];
  };
  /** Read one request */
  readonly "GET /v1/request/{id}": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: RequestRecord;
  };
  /** Read the bodies of one request */
  readonly "GET /v1/request/{id}/body": {
    readonly path: {
      readonly id: string;
    };
    readonly query: {
      /** That part. `provider_request` is what the provider received and `provider_response` what it returned; null if that equals what the client sent and received. */
      readonly part?: "request" | "response" | "provider_request" | "provider_response";
      /** `true` returns the bytes of the part as they were sent, decoded. */
      readonly raw?: boolean;
      /** Of a signed address. */
      readonly expires?: number;
      /** Of a signed address. */
      readonly signature?: string;
    };
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Read the headers of one request */
  readonly "GET /v1/request/{id}/headers": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Find requests */
  readonly "POST /v1/request/query-fast": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: {
      /** A filter: a leaf, a branch {"left", "operator", "right"}, or "all". See the page on querying. */
      readonly filter: unknown;
      readonly isCached?: boolean | null;
      readonly isScored?: boolean | null;
      readonly isPartOfExperiment?: boolean | null;
      readonly offset?: number | null;
      readonly limit?: number | null;
      readonly sort?: unknown;
      readonly cursor?: string | null;
      readonly search?: string | null;
      readonly partial?: boolean | null;
      readonly includeBody?: boolean | null;
      readonly includeProviderBodies?: boolean | null;
      readonly includeInputs?: boolean | null;
      readonly includeStoredBytes?: boolean | null;
    };
    readonly data: readonly (RequestRecord)[];
  };
  /** Find requests by any group of fields */
  readonly "POST /v1/request/query": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: {
      /** A filter: a leaf, a branch {"left", "operator", "right"}, or "all". See the page on querying. */
      readonly filter: unknown;
      readonly isCached?: boolean | null;
      readonly isScored?: boolean | null;
      readonly isPartOfExperiment?: boolean | null;
      readonly offset?: number | null;
      readonly limit?: number | null;
      readonly sort?: unknown;
      readonly cursor?: string | null;
      readonly search?: string | null;
      readonly partial?: boolean | null;
      readonly includeBody?: boolean | null;
      readonly includeProviderBodies?: boolean | null;
      readonly includeInputs?: boolean | null;
      readonly includeStoredBytes?: boolean | null;
    };
    readonly data: readonly (RequestRecord)[];
  };
  /** Count requests */
  readonly "POST /v1/request/count/query": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: {
      /** A filter: a leaf, a branch {"left", "operator", "right"}, or "all". See the page on querying. */
      readonly filter: unknown;
      readonly isCached?: boolean | null;
      readonly isScored?: boolean | null;
      readonly isPartOfExperiment?: boolean | null;
    };
    readonly data: number;
  };
  /** Aggregate requests */
  readonly "POST /v1/metrics/query": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: {
      /** A filter: a leaf, a branch {"left", "operator", "right"}, or "all". See the page on querying. */
      readonly filter?: unknown;
      readonly offset?: number | null;
      readonly limit?: number | null;
      readonly group_by?: readonly (string)[] | null;
      readonly time_bucket?: string | null;
      readonly latencies?: boolean | null;
      readonly speeds?: boolean | null;
      readonly scores?: readonly (string)[] | null;
    };
    readonly data: readonly (MetricsRow)[];
  };
  /** Count requests by their values */
  readonly "POST /v1/request/facets/query": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: {
      /** A filter: a leaf, a branch {"left", "operator", "right"}, or "all". See the page on querying. */
      readonly filter?: unknown;
      /** At most 8 of model, provider, user, status, outcome, finish_reason, error_code, key, prompt, prompt_version, route, credential, session, property:<Name>, score:<Name>. */
      readonly facets: readonly (string)[];
      readonly limit?: number | null;
    };
    readonly data: readonly (Facet)[];
  };
  /** Aggregate requests by user */
  readonly "POST /v1/user/metrics/query": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: {
      /** A filter: a leaf, a branch {"left", "operator", "right"}, or "all". See the page on querying. */
      readonly filter?: unknown;
      readonly offset?: number | null;
      readonly limit?: number | null;
      readonly sort?: unknown;
    };
    readonly data: readonly (UserTotals)[];
  };
  /** Find sessions */
  readonly "POST /v1/session/query": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: {
      /** A filter: a leaf, a branch {"left", "operator", "right"}, or "all". See the page on querying. */
      readonly filter?: unknown;
      readonly offset?: number | null;
      readonly limit?: number | null;
      readonly sort?: unknown;
      readonly search?: string | null;
      readonly whole?: boolean | null;
      readonly includeStoredBytes?: boolean | null;
    };
    readonly data: readonly (Session)[];
  };
  /** List the names of properties */
  readonly "POST /v1/property/query": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: {
      readonly offset?: number | null;
      readonly limit?: number | null;
    };
    readonly data: readonly ({
      readonly property: string;
    })[];
  };
  /** Find values of a property */
  readonly "POST /v1/property/{name}/search": {
    readonly path: {
      readonly name: string;
    };
    readonly query: Nothing;
    readonly body: {
      readonly offset?: number | null;
      readonly limit?: number | null;
      readonly search?: string | null;
    };
    readonly data: readonly ({
      readonly value: string;
    })[];
  };
  /** Values of a property by cost */
  readonly "POST /v1/property/{name}/top-costs/query": {
    readonly path: {
      readonly name: string;
    };
    readonly query: Nothing;
    readonly body: {
      /** A filter: a leaf, a branch {"left", "operator", "right"}, or "all". See the page on querying. */
      readonly filter?: unknown;
      readonly offset?: number | null;
      readonly limit?: number | null;
    };
    readonly data: unknown;
  };
  /** Read a session's tag */
  readonly "GET /v1/session/{id}/tag": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: {
      readonly session_id: string;
      readonly tag: string | null;
    };
  };
  /** Tag a session */
  readonly "PUT /v1/session/{id}/tag": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: {
      readonly tag: string | null;
    };
    readonly data: unknown;
  };
  /** Set properties of a request */
  readonly "PUT /v1/request/{id}/property": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: {
      readonly [name: string]: string | null;
    };
    readonly data: unknown;
  };
  /** Score a request */
  readonly "POST /v1/request/{id}/score": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: {
      /** Score names and values. A second call merges. */
      readonly scores: {
        readonly [name: string]: number | boolean;
      };
      /** Reasons, by the name of the score. */
      readonly reasons?: {
        readonly [name: string]: string;
      };
    };
    readonly data: unknown;
  };
  /** Rate a request */
  readonly "POST /v1/request/{id}/feedback": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: {
      readonly rating: boolean;
    };
    readonly data: unknown;
  };
  /** Set properties of many requests */
  readonly "PUT /v1/request/property": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: {
      /** Up to 1000 request ids. */
      readonly requestIds?: readonly (string)[];
      /** A filter: a leaf, a branch {"left", "operator", "right"}, or "all". See the page on querying. */
      readonly filter?: unknown;
      readonly isCached?: boolean | null;
      readonly isScored?: boolean | null;
      readonly isPartOfExperiment?: boolean | null;
      readonly limit?: number | null;
      readonly cursor?: string | null;
      /** Property names and their values, without a header prefix; null removes. */
      readonly properties: {
        readonly [name: string]: string | null;
      };
    };
    readonly data: unknown;
  };
  /** Score many requests */
  readonly "POST /v1/request/score": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: {
      /** Up to 1000 request ids. */
      readonly requestIds?: readonly (string)[];
      /** A filter: a leaf, a branch {"left", "operator", "right"}, or "all". See the page on querying. */
      readonly filter?: unknown;
      readonly isCached?: boolean | null;
      readonly isScored?: boolean | null;
      readonly isPartOfExperiment?: boolean | null;
      readonly limit?: number | null;
      readonly cursor?: string | null;
      /** Score names and values. A second call merges. */
      readonly scores: {
        readonly [name: string]: number | boolean;
      };
      /** Reasons, by the name of the score. */
      readonly reasons?: {
        readonly [name: string]: string;
      };
    };
    readonly data: unknown;
  };
  /** Delete requests */
  readonly "DELETE /v1/request": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: {
      /** Up to 1000 request ids. */
      readonly requestIds?: readonly (string)[];
      /** A filter: a leaf, a branch {"left", "operator", "right"}, or "all". See the page on querying. */
      readonly filter?: unknown;
      readonly isCached?: boolean | null;
      readonly isScored?: boolean | null;
      readonly isPartOfExperiment?: boolean | null;
      readonly limit?: number | null;
      readonly cursor?: string | null;
    };
    readonly data: unknown;
  };
  /** Import records */
  readonly "POST /v1/import": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: readonly (Nothing)[];
    readonly data: unknown;
  };
  /** Log a call to a tool, a vector database or anything else */
  readonly "POST /v1/log": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: {
      /** The request; see docs/models.md. */
      readonly request: {
        readonly _type: "tool" | "vector_db" | "data";
        readonly [name: string]: unknown;
      };
      /** Its result. */
      readonly response?: {
        readonly [name: string]: unknown;
      };
      /** Default: 200. */
      readonly status?: number;
      /** ISO 8601, or milliseconds since 1970; default: now. */
      readonly start_time?: string | number;
      /** ISO 8601, or milliseconds since 1970; default: now. */
      readonly end_time?: string | number;
      readonly provider?: string;
      readonly properties?: {
        readonly [name: string]: string;
      };
      readonly user_id?: string;
      readonly session_id?: string;
      readonly session_name?: string;
      readonly session_path?: string;
      /** Your own UUID. */
      readonly request_id?: string;
    };
    readonly data: unknown;
  };
  /** Receive OpenTelemetry spans */
  readonly "POST /v1/traces": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: Nothing;
    readonly data: unknown;
  };
  /** Read the place of a session's requests in their traces */
  readonly "GET /v1/session/{id}/spans": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: readonly (unknown)[];
  };
  /** List the comments on a request */
  readonly "GET /v1/request/{id}/comments": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: readonly ({
      readonly id: string;
      readonly author: string;
      readonly text: string;
      readonly own: boolean;
      readonly created_at: string;
    })[];
  };
  /** Comment on a request */
  readonly "POST /v1/request/{id}/comments": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: {
      readonly text: string;
    };
    readonly data: unknown;
  };
  /** Remove a comment */
  readonly "DELETE /v1/request/{id}/comments/{comment}": {
    readonly path: {
      readonly id: string;
      readonly comment: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** List shared links */
  readonly "GET /v1/shared-links": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Share a request or a session */
  readonly "POST /v1/shared-links": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: {
      readonly request_id?: string;
      readonly session_id?: string;
      /** Until it expires, at most 90; default: 7. */
      readonly days?: number;
    };
    readonly data: unknown;
  };
  /** Revoke a shared link */
  readonly "DELETE /v1/shared-links/{id}": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Follow a shared link */
  readonly "GET /v1/shared/{token}": {
    readonly path: {
      readonly token: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Read one request of a shared link */
  readonly "GET /v1/shared/{token}/request/{id}": {
    readonly path: {
      readonly token: string;
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** List keys */
  readonly "GET /v1/keys": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: readonly (ServiceKey)[];
  };
  /** Create a key */
  readonly "POST /v1/keys": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: {
      readonly name: string;
      /** Created if no organization has this name. */
      readonly organization?: string;
      /** Of gateway, figures, read, write, admin; admin implies all. */
      readonly scopes?: readonly (string)[];
      /** Patterns of the models and routes that it may use, such as `openai/*`; `!` excludes. Default: as the creating key. */
      readonly models?: readonly (string)[] | null;
      /** Patterns of the credentials that it may use; [] for none. Default: as the creating key. */
      readonly credentials?: readonly (string)[] | null;
      /** 90s, 15m, 12h, 30d or an ISO 8601 date; at the latest, and by default, when the creating key expires. */
      readonly expires?: string | null;
      /** Of a user: whether the key is theirs and stops with them. Only admins may say false. */
      readonly personal?: boolean;
    };
    readonly data: unknown;
  };
  /** Rotate a key */
  readonly "POST /v1/keys/{id}/rotate": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body?: {
      /** How long the old secret still works, such as 24h. Default: not at all. */
      readonly grace?: string;
    };
    readonly data: unknown;
  };
  /** Revoke a key */
  readonly "DELETE /v1/keys/{id}": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Transfer a key */
  readonly "PATCH /v1/keys/{id}": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: {
      /** The new owner: a member of the key's organization whose role allows its scopes; null for no owner. */
      readonly user_id: string | null;
    };
    readonly data: ServiceKey;
  };
  /** Log in */
  readonly "POST /v1/session": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: {
      /** A service key. */
      readonly key?: string;
      readonly email?: string;
      readonly password?: string;
    };
    readonly data: unknown;
  };
  /** Read the current log-in */
  readonly "GET /v1/session": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Log out */
  readonly "DELETE /v1/session": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Start a log-in by single sign-on */
  readonly "GET /v1/login/{name}": {
    readonly path: {
      readonly name: string;
    };
    readonly query: {
      /** Path of the dashboard's page to return to. */
      readonly return?: string;
      /** Asks the provider to show its account chooser. */
      readonly account?: "other";
    };
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Finish a log-in by single sign-on */
  readonly "GET /v1/login/{name}/callback": {
    readonly path: {
      readonly name: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Read the caller and its permissions */
  readonly "GET /v1/me": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: Caller;
  };
  /** List the ways to log in */
  readonly "GET /v1/login": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** List log-ins */
  readonly "GET /v1/sessions": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** End a log-in */
  readonly "DELETE /v1/sessions/{id}": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Set one's password */
  readonly "POST /v1/me/password": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: {
      readonly current?: string;
      readonly password: string;
    };
    readonly data: unknown;
  };
  /** List members */
  readonly "GET /v1/members": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Change a member's role */
  readonly "PATCH /v1/members/{id}": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: {
      /** One of viewer, analyst, developer, admin. */
      readonly role: string;
    };
    readonly data: unknown;
  };
  /** Remove a member */
  readonly "DELETE /v1/members/{id}": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** List invitations */
  readonly "GET /v1/invitations": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Invite somebody */
  readonly "POST /v1/invitations": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: {
      readonly email: string;
      /** One of viewer, analyst, developer, admin. */
      readonly role: string;
    };
    readonly data: unknown;
  };
  /** Revoke an invitation */
  readonly "DELETE /v1/invitations/{token}": {
    readonly path: {
      readonly token: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Accept an invitation */
  readonly "POST /v1/invitations/{token}": {
    readonly path: {
      readonly token: string;
    };
    readonly query: Nothing;
    readonly body: {
      readonly name: string;
      readonly password: string;
    };
    readonly data: unknown;
  };
  /** List users of the deployment */
  readonly "GET /v1/users": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Change a user */
  readonly "PATCH /v1/users/{id}": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: {
      readonly name?: string;
      readonly operator?: boolean;
      readonly disabled?: boolean;
    };
    readonly data: unknown;
  };
  /** Remove a user */
  readonly "DELETE /v1/users/{id}": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** List organizations */
  readonly "GET /v1/organizations": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: readonly (Organization)[];
  };
  /** Create an organization */
  readonly "POST /v1/organizations": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: {
      readonly name: string;
    };
    readonly data: unknown;
  };
  /** Rename an organization, or limit the lifetime of its keys */
  readonly "PATCH /v1/organizations/{id}": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: {
      readonly name?: string;
      readonly max_key_days?: number | null;
    };
    readonly data: unknown;
  };
  /** Delete an organization with all it has */
  readonly "DELETE /v1/organizations/{id}": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: {
      readonly name: string;
      /** Writes each record to a file on the service's machine before it is deleted. */
      readonly export?: boolean;
    };
    readonly data: unknown;
  };
  /** List the audit log */
  readonly "GET /v1/audit": {
    readonly path: Nothing;
    readonly query: {
      /** Id, name or kind (user, key, cli, plugin, system) of the actor. */
      readonly actor?: string;
      /** One of the actions, or a group of them such as `key.*`. */
      readonly action?: string;
      /** Id, name or kind of the object. */
      readonly object?: string;
      /** `done` or `refused`. */
      readonly outcome?: string;
      /** ISO 8601 time of the oldest entry. */
      readonly since?: string;
      /** ISO 8601 time; only entries before it. */
      readonly until?: string;
      /** Id or name. By default an operator gets all entries, others those of their organization. */
      readonly organization?: string;
      /** `next_cursor` of the previous page. */
      readonly cursor?: string;
      /** At most 1000. */
      readonly limit?: number;
    };
    readonly body: undefined;
    readonly data: readonly (AuditEntry)[];
  };
  /** List models and whether they are mapped */
  readonly "GET /v1/models": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: readonly (Model)[];
  };
  /** Map a model now */
  readonly "POST /v1/models/{model}/expedite": {
    readonly path: {
      readonly model: string;
    };
    readonly query: {
      /** The provider, if several have a model with this name. */
      readonly provider?: string;
    };
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Read a model's mapping, with all earlier versions */
  readonly "GET /v1/models/{model}/mapping": {
    readonly path: {
      readonly model: string;
    };
    readonly query: {
      /** The provider, if several have a model with this name. */
      readonly provider?: string;
    };
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Set a model's mapping */
  readonly "PUT /v1/models/{model}/mapping": {
    readonly path: {
      readonly model: string;
    };
    readonly query: {
      /** The provider, if several have a model with this name. */
      readonly provider?: string;
    };
    readonly body: {
      readonly [name: string]: unknown;
    };
    readonly data: unknown;
  };
  /** Approve a mapping */
  readonly "POST /v1/models/{model}/approve": {
    readonly path: {
      readonly model: string;
    };
    readonly query: {
      /** The provider, if several have a model with this name. */
      readonly provider?: string;
    };
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Restore the previous mapping */
  readonly "POST /v1/models/{model}/rollback": {
    readonly path: {
      readonly model: string;
    };
    readonly query: {
      /** The provider, if several have a model with this name. */
      readonly provider?: string;
    };
    readonly body: undefined;
    readonly data: unknown;
  };
  /** List your own prices */
  readonly "GET /v1/models/prices": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: readonly (Price)[];
  };
  /** Set your own price */
  readonly "PUT /v1/models/prices": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: {
      /** Any case. */
      readonly provider: string;
      /** As recorded; `*` at the end matches any rest. */
      readonly model: string;
      readonly input?: number;
      readonly output?: number;
      readonly cache_read?: number;
      readonly cache_write?: number;
      readonly cache_write_1h?: number;
      readonly input_audio?: number;
      readonly output_audio?: number;
      readonly request?: number;
    };
    readonly data: unknown;
  };
  /** Remove your own price */
  readonly "DELETE /v1/models/prices": {
    readonly path: Nothing;
    readonly query: {
      readonly provider?: string;
      readonly model?: string;
    };
    readonly body?: {
      readonly provider: string;
      readonly model: string;
    };
    readonly data: unknown;
  };
  /** List the current price of each recorded model */
  readonly "GET /v1/models/prices/in-force": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: readonly (Price)[];
  };
  /** Explain what a request cost */
  readonly "GET /v1/request/{id}/cost": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Recompute recorded costs */
  readonly "POST /v1/models/prices/recompute": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: {
      readonly since?: string | null;
      readonly model?: string | null;
      readonly dry_run?: boolean | null;
    };
    readonly data: unknown;
  };
  /** Progress of a recomputation */
  readonly "GET /v1/models/prices/recompute/{id}": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** List credentials */
  readonly "GET /v1/credentials": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: readonly (Credential)[];
  };
  /** Add a credential */
  readonly "POST /v1/credentials": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: {
      /** Unique in the organization; default: made from the provider's. */
      readonly name?: string;
      /** Name or alias. */
      readonly provider: string;
      /** The secret members, if they are separate. */
      readonly secrets?: Nothing;
      readonly weight?: number | null;
      readonly models?: readonly (string)[] | null;
      readonly model_map?: {
        readonly [name: string]: string;
      } | null;
      readonly limit?: string | null;
      readonly headers?: {
        readonly [name: string]: string;
      } | null;
      readonly base_url?: string | null;
      readonly private?: boolean | null;
      readonly ask_usage?: boolean | null;
      readonly enabled?: boolean | null;
      readonly shared?: boolean | null;
      readonly [name: string]: unknown;
    };
    readonly data: unknown;
  };
  /** Read one credential */
  readonly "GET /v1/credentials/{name}": {
    readonly path: {
      readonly name: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Change a credential */
  readonly "PUT /v1/credentials/{name}": {
    readonly path: {
      readonly name: string;
    };
    readonly query: Nothing;
    readonly body: {
      /** The secret members, if they are separate. */
      readonly secrets?: Nothing;
      readonly weight?: number | null;
      readonly models?: readonly (string)[] | null;
      readonly model_map?: {
        readonly [name: string]: string;
      } | null;
      readonly limit?: string | null;
      readonly headers?: {
        readonly [name: string]: string;
      } | null;
      readonly base_url?: string | null;
      readonly private?: boolean | null;
      readonly ask_usage?: boolean | null;
      readonly enabled?: boolean | null;
      readonly shared?: boolean | null;
      readonly [name: string]: unknown;
    };
    readonly data: unknown;
  };
  /** Remove a credential */
  readonly "DELETE /v1/credentials/{name}": {
    readonly path: {
      readonly name: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Test a credential at its provider */
  readonly "POST /v1/credentials/{name}/test": {
    readonly path: {
      readonly name: string;
    };
    readonly query: Nothing;
    readonly body: {
      /** A model to count tokens with, for providers that do not list models. */
      readonly model?: string;
    };
    readonly data: unknown;
  };
  /** List routes */
  readonly "GET /v1/routes": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: readonly (Route)[];
  };
  /** Read one route */
  readonly "GET /v1/routes/{name}": {
    readonly path: {
      readonly name: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Create or replace a route */
  readonly "PUT /v1/routes/{name}": {
    readonly path: {
      readonly name: string;
    };
    readonly query: Nothing;
    readonly body: {
      readonly targets: readonly (unknown)[];
      /** How the target is chosen; default `order`. */
      readonly strategy?: "order" | "weighted" | "cheapest" | "fastest";
      /** The scope that keeps its choice; default `session`. */
      readonly sticky?: string;
      /** Retries of each target. */
      readonly retries?: number;
      /** Seconds to the response's headers, and in a stream to its first content. */
      readonly timeout_seconds?: number;
      readonly description?: string;
      /** Default: the key's organization. Only an operator may name another one. */
      readonly organization?: string;
    };
    readonly data: unknown;
  };
  /** Remove a route */
  readonly "DELETE /v1/routes/{name}": {
    readonly path: {
      readonly name: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** List paused credentials */
  readonly "GET /v1/route/health": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** List the models and routes that this key may use */
  readonly "GET /v1/route/models": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Explain where a request would go */
  readonly "POST /v1/route/explain": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: {
      /** A model string, as a client writes it. */
      readonly model: string;
      /** The client's API: chat-completions, responses, messages, generate-content, completions, embeddings, or the name of a drop-in's shape. */
      readonly shape?: string;
      /** The client's body; its `model` does not count. */
      readonly body?: {
        readonly [name: string]: unknown;
      };
      /** Id or name of the service key of the request; default: one without lists. */
      readonly key_id?: string;
      /** As in `Gateway-User-Id`. */
      readonly user?: string;
      /** As in `Gateway-Session-Id`. */
      readonly session?: string;
      /** As in `Gateway-Property-*`. */
      readonly properties?: {
        readonly [name: string]: string;
      };
    };
    readonly data: unknown;
  };
  /** Try a model: chat/completions */
  readonly "POST /v1/playground/chat/completions": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: {
      readonly [name: string]: unknown;
    };
    readonly data: unknown;
  };
  /** Try a model: responses */
  readonly "POST /v1/playground/responses": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: {
      readonly [name: string]: unknown;
    };
    readonly data: unknown;
  };
  /** Try a model: messages */
  readonly "POST /v1/playground/messages": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: {
      readonly [name: string]: unknown;
    };
    readonly data: unknown;
  };
  /** Read cache statistics and contents */
  readonly "GET /v1/cache": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: CacheTotals;
  };
  /** Remove stored responses */
  readonly "DELETE /v1/cache": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body?: {
      /** As GET /v1/cache/entries shows it. */
      readonly key?: string;
      /** The model named in the requests. */
      readonly model?: string;
      /** The request whose response is stored. */
      readonly request_id?: string;
      readonly property?: {
        readonly name: string;
        readonly value?: string;
      };
    };
    readonly data: unknown;
  };
  /** Read cache statistics by time */
  readonly "POST /v1/cache/metrics/query": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: {
      /** A filter: a leaf, a branch {"left", "operator", "right"}, or "all". See the page on querying. */
      readonly filter?: unknown;
      /** minute, 5m, hour, 6h, day. */
      readonly time_bucket: string;
    };
    readonly data: unknown;
  };
  /** List stored responses */
  readonly "GET /v1/cache/entries": {
    readonly path: Nothing;
    readonly query: {
      /** At most 1000. */
      readonly limit?: number;
      /** Rows to skip. */
      readonly offset?: number;
    };
    readonly body: undefined;
    readonly data: unknown;
  };
  /** List alerts */
  readonly "GET /v1/alerts": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: readonly (Alert)[];
  };
  /** Create an alert */
  readonly "POST /v1/alerts": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: {
      readonly name: string;
      /** One of requests, errors, error_rate, refused, cache_hits, cost, prompt_tokens, completion_tokens, total_tokens, latency_avg, latency_p50, latency_p90, latency_p95, latency_p99, time_to_first_token_p50, time_to_first_token_p95, tokens_per_second_p50, tokens_per_second_p95, refusal_rate, cache_hit_rate, score:<Name>. */
      readonly metric: string;
      /** above or below; the threshold itself is neither. */
      readonly comparison: string;
      /** Dollars, milliseconds, tokens or a count; a rate is a share from 0 to 1. */
      readonly threshold: number;
      /** How far back the metric looks at every check. Needed unless `calendar` is given. */
      readonly window_seconds?: number;
      /** day, week, month: the metric counts from the beginning of it, in place of a sliding window. */
      readonly calendar?: string | null;
      /** Whose calendar it is, such as Europe/Berlin; default: UTC. */
      readonly time_zone?: string | null;
      /** As in queries; default: "all". */
      readonly filter?: unknown;
      /** model, provider, user, status, outcome, session, property:<Name>: each value triggers by itself. */
      readonly group_by?: readonly (string)[];
      /** With fewer in the window nothing triggers. */
      readonly minimum_requests?: number;
      /** How long the condition must be over before it is resolved; default: 300. */
      readonly cooldown_seconds?: number;
      /** Who is notified. Without one the alert is only shown. */
      readonly channels?: readonly ({
        /** Of a channel that is there: it keeps what is secret of it. */
        readonly id?: string;
        /** Where it goes, shortened. Only in responses. */
        readonly address?: string;
        readonly type: "webhook";
        /** http(s) address that events are posted to. */
        readonly url?: string;
        /** Signing secret, whsec_ and base64 of 24 to 64 bytes; made where there is none. */
        readonly secret?: string;
      } | {
        /** Of a channel that is there: it keeps what is secret of it. */
        readonly id?: string;
        /** Where it goes, shortened. Only in responses. */
        readonly address?: string;
        readonly type: "email";
        /** One address. */
        readonly to?: string;
      } | {
        /** Of a channel that is there: it keeps what is secret of it. */
        readonly id?: string;
        /** Where it goes, shortened. Only in responses. */
        readonly address?: string;
        readonly type: "slack";
        /** The address of an incoming webhook of Slack. It is never shown again. */
        readonly url?: string;
      } | {
        /** Of a channel that is there: it keeps what is secret of it. */
        readonly id?: string;
        /** Where it goes, shortened. Only in responses. */
        readonly address?: string;
        readonly type: "teams";
        /** The address of a Microsoft Teams workflow that starts when a webhook request is received. It is never shown again. */
        readonly url?: string;
      } | {
        /** Of a channel that is there: it keeps what is secret of it. */
        readonly id?: string;
        /** Where it goes, shortened. Only in responses. */
        readonly address?: string;
        readonly type: "discord";
        /** The address of a webhook of a Discord channel. It is never shown again. */
        readonly url?: string;
      } | {
        /** Of a channel that is there: it keeps what is secret of it. */
        readonly id?: string;
        /** Where it goes, shortened. Only in responses. */
        readonly address?: string;
        readonly type: "pagerduty";
        /** Integration key of the Events API v2, 32 characters. It is never shown again. */
        readonly routing_key?: string;
        /** critical, error, warning, info. Default: error. */
        readonly severity?: string;
        /** Default: PagerDuty's own address for events. */
        readonly url?: string;
      } | {
        /** Of a channel that is there: it keeps what is secret of it. */
        readonly id?: string;
        /** Where it goes, shortened. Only in responses. */
        readonly address?: string;
        readonly type: "opsgenie";
        /** Key of an API integration. It is never shown again. */
        readonly api_key?: string;
        /** P1, P2, P3, P4, P5. Default: P3. */
        readonly priority?: string;
        /** Default: Opsgenie's own address for alerts. */
        readonly url?: string;
      })[];
      readonly enabled?: boolean;
    };
    readonly data: Alert;
  };
  /** Read one alert */
  readonly "GET /v1/alerts/{id}": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: Alert;
  };
  /** Replace an alert */
  readonly "PUT /v1/alerts/{id}": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: {
      readonly name: string;
      /** One of requests, errors, error_rate, refused, cache_hits, cost, prompt_tokens, completion_tokens, total_tokens, latency_avg, latency_p50, latency_p90, latency_p95, latency_p99, time_to_first_token_p50, time_to_first_token_p95, tokens_per_second_p50, tokens_per_second_p95, refusal_rate, cache_hit_rate, score:<Name>. */
      readonly metric: string;
      /** above or below; the threshold itself is neither. */
      readonly comparison: string;
      /** Dollars, milliseconds, tokens or a count; a rate is a share from 0 to 1. */
      readonly threshold: number;
      /** How far back the metric looks at every check. Needed unless `calendar` is given. */
      readonly window_seconds?: number;
      /** day, week, month: the metric counts from the beginning of it, in place of a sliding window. */
      readonly calendar?: string | null;
      /** Whose calendar it is, such as Europe/Berlin; default: UTC. */
      readonly time_zone?: string | null;
      /** As in queries; default: "all". */
      readonly filter?: unknown;
      /** model, provider, user, status, outcome, session, property:<Name>: each value triggers by itself. */
      readonly group_by?: readonly (string)[];
      /** With fewer in the window nothing triggers. */
      readonly minimum_requests?: number;
      /** How long the condition must be over before it is resolved; default: 300. */
      readonly cooldown_seconds?: number;
      /** Who is notified. Without one the alert is only shown. */
      readonly channels?: readonly ({
        /** Of a channel that is there: it keeps what is secret of it. */
        readonly id?: string;
        /** Where it goes, shortened. Only in responses. */
        readonly address?: string;
        readonly type: "webhook";
        /** http(s) address that events are posted to. */
        readonly url?: string;
        /** Signing secret, whsec_ and base64 of 24 to 64 bytes; made where there is none. */
        readonly secret?: string;
      } | {
        /** Of a channel that is there: it keeps what is secret of it. */
        readonly id?: string;
        /** Where it goes, shortened. Only in responses. */
        readonly address?: string;
        readonly type: "email";
        /** One address. */
        readonly to?: string;
      } | {
        /** Of a channel that is there: it keeps what is secret of it. */
        readonly id?: string;
        /** Where it goes, shortened. Only in responses. */
        readonly address?: string;
        readonly type: "slack";
        /** The address of an incoming webhook of Slack. It is never shown again. */
        readonly url?: string;
      } | {
        /** Of a channel that is there: it keeps what is secret of it. */
        readonly id?: string;
        /** Where it goes, shortened. Only in responses. */
        readonly address?: string;
        readonly type: "teams";
        /** The address of a Microsoft Teams workflow that starts when a webhook request is received. It is never shown again. */
        readonly url?: string;
      } | {
        /** Of a channel that is there: it keeps what is secret of it. */
        readonly id?: string;
        /** Where it goes, shortened. Only in responses. */
        readonly address?: string;
        readonly type: "discord";
        /** The address of a webhook of a Discord channel. It is never shown again. */
        readonly url?: string;
      } | {
        /** Of a channel that is there: it keeps what is secret of it. */
        readonly id?: string;
        /** Where it goes, shortened. Only in responses. */
        readonly address?: string;
        readonly type: "pagerduty";
        /** Integration key of the Events API v2, 32 characters. It is never shown again. */
        readonly routing_key?: string;
        /** critical, error, warning, info. Default: error. */
        readonly severity?: string;
        /** Default: PagerDuty's own address for events. */
        readonly url?: string;
      } | {
        /** Of a channel that is there: it keeps what is secret of it. */
        readonly id?: string;
        /** Where it goes, shortened. Only in responses. */
        readonly address?: string;
        readonly type: "opsgenie";
        /** Key of an API integration. It is never shown again. */
        readonly api_key?: string;
        /** P1, P2, P3, P4, P5. Default: P3. */
        readonly priority?: string;
        /** Default: Opsgenie's own address for alerts. */
        readonly url?: string;
      })[];
      readonly enabled?: boolean;
    };
    readonly data: unknown;
  };
  /** Change parts of an alert */
  readonly "PATCH /v1/alerts/{id}": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: {
      readonly name?: string;
      /** One of requests, errors, error_rate, refused, cache_hits, cost, prompt_tokens, completion_tokens, total_tokens, latency_avg, latency_p50, latency_p90, latency_p95, latency_p99, time_to_first_token_p50, time_to_first_token_p95, tokens_per_second_p50, tokens_per_second_p95, refusal_rate, cache_hit_rate, score:<Name>. */
      readonly metric?: string;
      /** above or below; the threshold itself is neither. */
      readonly comparison?: string;
      /** Dollars, milliseconds, tokens or a count; a rate is a share from 0 to 1. */
      readonly threshold?: number;
      /** How far back the metric looks at every check. Needed unless `calendar` is given. */
      readonly window_seconds?: number;
      /** day, week, month: the metric counts from the beginning of it, in place of a sliding window. */
      readonly calendar?: string | null;
      /** Whose calendar it is, such as Europe/Berlin; default: UTC. */
      readonly time_zone?: string | null;
      /** As in queries; default: "all". */
      readonly filter?: unknown;
      /** model, provider, user, status, outcome, session, property:<Name>: each value triggers by itself. */
      readonly group_by?: readonly (string)[];
      /** With fewer in the window nothing triggers. */
      readonly minimum_requests?: number;
      /** How long the condition must be over before it is resolved; default: 300. */
      readonly cooldown_seconds?: number;
      /** Who is notified. Without one the alert is only shown. */
      readonly channels?: readonly ({
        /** Of a channel that is there: it keeps what is secret of it. */
        readonly id?: string;
        /** Where it goes, shortened. Only in responses. */
        readonly address?: string;
        readonly type: "webhook";
        /** http(s) address that events are posted to. */
        readonly url?: string;
        /** Signing secret, whsec_ and base64 of 24 to 64 bytes; made where there is none. */
        readonly secret?: string;
      } | {
        /** Of a channel that is there: it keeps what is secret of it. */
        readonly id?: string;
        /** Where it goes, shortened. Only in responses. */
        readonly address?: string;
        readonly type: "email";
        /** One address. */
        readonly to?: string;
      } | {
        /** Of a channel that is there: it keeps what is secret of it. */
        readonly id?: string;
        /** Where it goes, shortened. Only in responses. */
        readonly address?: string;
        readonly type: "slack";
        /** The address of an incoming webhook of Slack. It is never shown again. */
        readonly url?: string;
      } | {
        /** Of a channel that is there: it keeps what is secret of it. */
        readonly id?: string;
        /** Where it goes, shortened. Only in responses. */
        readonly address?: string;
        readonly type: "teams";
        /** The address of a Microsoft Teams workflow that starts when a webhook request is received. It is never shown again. */
        readonly url?: string;
      } | {
        /** Of a channel that is there: it keeps what is secret of it. */
        readonly id?: string;
        /** Where it goes, shortened. Only in responses. */
        readonly address?: string;
        readonly type: "discord";
        /** The address of a webhook of a Discord channel. It is never shown again. */
        readonly url?: string;
      } | {
        /** Of a channel that is there: it keeps what is secret of it. */
        readonly id?: string;
        /** Where it goes, shortened. Only in responses. */
        readonly address?: string;
        readonly type: "pagerduty";
        /** Integration key of the Events API v2, 32 characters. It is never shown again. */
        readonly routing_key?: string;
        /** critical, error, warning, info. Default: error. */
        readonly severity?: string;
        /** Default: PagerDuty's own address for events. */
        readonly url?: string;
      } | {
        /** Of a channel that is there: it keeps what is secret of it. */
        readonly id?: string;
        /** Where it goes, shortened. Only in responses. */
        readonly address?: string;
        readonly type: "opsgenie";
        /** Key of an API integration. It is never shown again. */
        readonly api_key?: string;
        /** P1, P2, P3, P4, P5. Default: P3. */
        readonly priority?: string;
        /** Default: Opsgenie's own address for alerts. */
        readonly url?: string;
      })[];
      readonly enabled?: boolean;
    };
    readonly data: unknown;
  };
  /** Remove an alert */
  readonly "DELETE /v1/alerts/{id}": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** List the deliveries of an alert */
  readonly "GET /v1/alerts/{id}/deliveries": {
    readonly path: {
      readonly id: string;
    };
    readonly query: {
      /** At most 1000. */
      readonly limit?: number;
      /** Rows to skip. */
      readonly offset?: number;
    };
    readonly body: undefined;
    readonly data: readonly (Delivery)[];
  };
  /** Send a test to every channel */
  readonly "POST /v1/alerts/{id}/test": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** List triggered and resolved events */
  readonly "GET /v1/alerts/{id}/history": {
    readonly path: {
      readonly id: string;
    };
    readonly query: {
      /** At most 1000. */
      readonly limit?: number;
      /** Rows to skip. */
      readonly offset?: number;
    };
    readonly body: undefined;
    readonly data: unknown;
  };
  /** List webhooks */
  readonly "GET /v1/webhooks": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: readonly (Webhook)[];
  };
  /** Create a webhook for finished requests */
  readonly "POST /v1/webhooks": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: {
      /** http(s) address that requests are posted to. */
      readonly url: string;
      readonly name?: string;
      /** Of request.finished, audit.entry; default: finished requests alone. */
      readonly events?: readonly (string)[];
      /** Properties that a request must have, all of them; without a value any value will do. */
      readonly property_filters?: readonly ({
        readonly name: string;
        readonly value?: string;
      })[];
      /** Percent of the requests; default: 100. */
      readonly sample_rate?: number;
      /** Fields of the record that are sent beside request_id, properties and signed_body_url. */
      readonly fields?: readonly (string)[];
      /** Sends the bodies too, unless they are long; signed_body_url is always sent. */
      readonly include_body?: boolean;
      /** Signing secret, whsec_ and base64 of 24 to 64 bytes; made where there is none. */
      readonly secret?: string;
      readonly enabled?: boolean;
    };
    readonly data: unknown;
  };
  /** Read one webhook */
  readonly "GET /v1/webhooks/{id}": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: Webhook;
  };
  /** Replace a webhook */
  readonly "PUT /v1/webhooks/{id}": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: {
      /** http(s) address that requests are posted to. */
      readonly url: string;
      readonly name?: string;
      /** Of request.finished, audit.entry; default: finished requests alone. */
      readonly events?: readonly (string)[];
      /** Properties that a request must have, all of them; without a value any value will do. */
      readonly property_filters?: readonly ({
        readonly name: string;
        readonly value?: string;
      })[];
      /** Percent of the requests; default: 100. */
      readonly sample_rate?: number;
      /** Fields of the record that are sent beside request_id, properties and signed_body_url. */
      readonly fields?: readonly (string)[];
      /** Sends the bodies too, unless they are long; signed_body_url is always sent. */
      readonly include_body?: boolean;
      /** Signing secret, whsec_ and base64 of 24 to 64 bytes; made where there is none. */
      readonly secret?: string;
      readonly enabled?: boolean;
    };
    readonly data: unknown;
  };
  /** Change parts of a webhook */
  readonly "PATCH /v1/webhooks/{id}": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: {
      /** http(s) address that requests are posted to. */
      readonly url?: string;
      readonly name?: string;
      /** Of request.finished, audit.entry; default: finished requests alone. */
      readonly events?: readonly (string)[];
      /** Properties that a request must have, all of them; without a value any value will do. */
      readonly property_filters?: readonly ({
        readonly name: string;
        readonly value?: string;
      })[];
      /** Percent of the requests; default: 100. */
      readonly sample_rate?: number;
      /** Fields of the record that are sent beside request_id, properties and signed_body_url. */
      readonly fields?: readonly (string)[];
      /** Sends the bodies too, unless they are long; signed_body_url is always sent. */
      readonly include_body?: boolean;
      /** Signing secret, whsec_ and base64 of 24 to 64 bytes; made where there is none. */
      readonly secret?: string;
      readonly enabled?: boolean;
    };
    readonly data: unknown;
  };
  /** Remove a webhook */
  readonly "DELETE /v1/webhooks/{id}": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** List the deliveries of a webhook */
  readonly "GET /v1/webhooks/{id}/deliveries": {
    readonly path: {
      readonly id: string;
    };
    readonly query: {
      /** At most 1000. */
      readonly limit?: number;
      /** Rows to skip. */
      readonly offset?: number;
    };
    readonly body: undefined;
    readonly data: readonly (Delivery)[];
  };
  /** Send a test */
  readonly "POST /v1/webhooks/{id}/test": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Read how long records and bodies are kept */
  readonly "GET /v1/retention": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Set how long records and bodies are kept */
  readonly "PUT /v1/retention": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: {
      /** Days that records are kept; 0 means forever, null the configured value. */
      readonly days?: number | null;
      /** Days that bodies are kept; 0 means forever, null the configured value. */
      readonly body_days?: number | null;
      /** Records with a property are kept longer or shorter; of several the longest counts. */
      readonly properties?: readonly ({
        readonly property: string;
        readonly value?: string | null;
        /** Days that these records are kept instead; 0 means forever, null the value for all others. */
        readonly days?: number | null;
        /** Days that their bodies are kept instead. */
        readonly body_days?: number | null;
      })[];
    };
    readonly data: unknown;
  };
  /** Remove expired records and bodies now */
  readonly "POST /v1/retention/run": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** What is stored */
  readonly "GET /v1/storage": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** List views */
  readonly "GET /v1/views": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: readonly (View)[];
  };
  /** Save a view */
  readonly "POST /v1/views": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: {
      readonly name: string;
      readonly shared?: boolean | null;
      /** A filter: a leaf, a branch {"left", "operator", "right"}, or "all". See the page on querying. */
      readonly filter?: unknown;
      readonly search?: string | null;
      readonly sort?: unknown;
      readonly range?: string | null;
      readonly from?: string | null;
      readonly to?: string | null;
      readonly columns?: readonly ({
        /** Such as `model`, `property:Team` or `score:helpful`. */
        readonly id: string;
        /** Pixels. */
        readonly width?: number;
      })[] | null;
    };
    readonly data: View;
  };
  /** Read one view */
  readonly "GET /v1/views/{id}": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: View;
  };
  /** Change parts of a view */
  readonly "PATCH /v1/views/{id}": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: {
      readonly name?: string;
      readonly shared?: boolean | null;
      /** A filter: a leaf, a branch {"left", "operator", "right"}, or "all". See the page on querying. */
      readonly filter?: unknown;
      readonly search?: string | null;
      readonly sort?: unknown;
      readonly range?: string | null;
      readonly from?: string | null;
      readonly to?: string | null;
      readonly columns?: readonly ({
        /** Such as `model`, `property:Team` or `score:helpful`. */
        readonly id: string;
        /** Pixels. */
        readonly width?: number;
      })[] | null;
    };
    readonly data: View;
  };
  /** Remove a view */
  readonly "DELETE /v1/views/{id}": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** List dashboards */
  readonly "GET /v1/dashboards": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: readonly (ListedDashboard)[];
  };
  /** Create a dashboard */
  readonly "POST /v1/dashboards": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: {
      readonly version?: 1 | null;
      readonly name: string;
      readonly description?: string | null;
      readonly shared?: boolean | null;
      readonly range?: "15m" | "1h" | "6h" | "24h" | "7d" | "30d" | "90d" | "today" | "yesterday" | "this-week" | "last-week" | "this-month" | "last-month" | "all" | null;
      /** A filter: a leaf, a branch {"left", "operator", "right"}, or "all". See the page on querying. */
      readonly filter?: unknown;
      readonly panels: readonly ({
        readonly title: string;
        /** How it is drawn. */
        readonly kind: "line" | "bar" | "number" | "table" | "heatmap";
        /** One, or several of the same unit; a table has any. Of requests, cost, prompt_tokens, completion_tokens, total_tokens, errors, error_rate, refused, refusal_rate, cache_hits, cache_hit_rate, latency_avg, latency_p50, latency_p90, latency_p95, latency_p99, time_to_first_token_p50, time_to_first_token_p95, tokens_per_second_p50, tokens_per_second_p95, score:<Name>. */
        readonly metrics: readonly (string)[];
        readonly split_by?: readonly (string)[] | null;
        readonly groups?: number | null;
        /** A filter: a leaf, a branch {"left", "operator", "right"}, or "all". See the page on querying. */
        readonly filter?: unknown;
        readonly range?: "15m" | "1h" | "6h" | "24h" | "7d" | "30d" | "90d" | "today" | "yesterday" | "this-week" | "last-week" | "this-month" | "last-month" | "all" | null;
        readonly thresholds?: readonly ({
          /** Exclusive: a value equal to it is neither above nor below. */
          readonly comparison: "above" | "below";
          /** Dollars, milliseconds, tokens or a count; a rate is a share from 0 to 1. */
          readonly value: number;
          /** Colour of the line and of values beyond it. */
          readonly colour: "good" | "warn" | "bad";
        })[] | null;
        readonly place?: {
          /** Columns to its left. */
          readonly x: number;
          /** Rows above it. */
          readonly y: number;
          /** Columns. */
          readonly w: number;
          /** Rows. */
          readonly h: number;
        } | null;
      })[];
    };
    readonly data: Dashboard;
  };
  /** Read one dashboard */
  readonly "GET /v1/dashboards/{id}": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: Dashboard;
  };
  /** Replace a dashboard */
  readonly "PUT /v1/dashboards/{id}": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: {
      readonly version?: 1 | null;
      readonly name: string;
      readonly description?: string | null;
      readonly shared?: boolean | null;
      readonly range?: "15m" | "1h" | "6h" | "24h" | "7d" | "30d" | "90d" | "today" | "yesterday" | "this-week" | "last-week" | "this-month" | "last-month" | "all" | null;
      /** A filter: a leaf, a branch {"left", "operator", "right"}, or "all". See the page on querying. */
      readonly filter?: unknown;
      readonly panels: readonly ({
        readonly title: string;
        /** How it is drawn. */
        readonly kind: "line" | "bar" | "number" | "table" | "heatmap";
        /** One, or several of the same unit; a table has any. Of requests, cost, prompt_tokens, completion_tokens, total_tokens, errors, error_rate, refused, refusal_rate, cache_hits, cache_hit_rate, latency_avg, latency_p50, latency_p90, latency_p95, latency_p99, time_to_first_token_p50, time_to_first_token_p95, tokens_per_second_p50, tokens_per_second_p95, score:<Name>. */
        readonly metrics: readonly (string)[];
        readonly split_by?: readonly (string)[] | null;
        readonly groups?: number | null;
        /** A filter: a leaf, a branch {"left", "operator", "right"}, or "all". See the page on querying. */
        readonly filter?: unknown;
        readonly range?: "15m" | "1h" | "6h" | "24h" | "7d" | "30d" | "90d" | "today" | "yesterday" | "this-week" | "last-week" | "this-month" | "last-month" | "all" | null;
        readonly thresholds?: readonly ({
          /** Exclusive: a value equal to it is neither above nor below. */
          readonly comparison: "above" | "below";
          /** Dollars, milliseconds, tokens or a count; a rate is a share from 0 to 1. */
          readonly value: number;
          /** Colour of the line and of values beyond it. */
          readonly colour: "good" | "warn" | "bad";
        })[] | null;
        readonly place?: {
          /** Columns to its left. */
          readonly x: number;
          /** Rows above it. */
          readonly y: number;
          /** Columns. */
          readonly w: number;
          /** Rows. */
          readonly h: number;
        } | null;
      })[];
    };
    readonly data: Dashboard;
  };
  /** Remove a dashboard */
  readonly "DELETE /v1/dashboards/{id}": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** List the names of scores */
  readonly "POST /v1/score/query": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: {
      /** A filter: a leaf, a branch {"left", "operator", "right"}, or "all". See the page on querying. */
      readonly filter?: unknown;
      readonly offset?: number | null;
      readonly limit?: number | null;
    };
    readonly data: unknown;
  };
  /** List the scores of a request */
  readonly "GET /v1/request/{id}/scores": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Try a judge */
  readonly "POST /v1/judges/try": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: {
      readonly judge: {
        /** Unique in the organization. */
        readonly name: string;
        /** As at the unified address: a route, a model or provider/model. */
        readonly model: string;
        /** Id of the service key that its calls are made with. It needs the scope gateway. */
        readonly key: string;
        /** What to judge and how, with {{input}}, {{output}}, {{messages}}, {{reference}}, {{property.<Name>}}. */
        readonly prompt: string;
        /** The scores that it gives. */
        readonly scores: readonly ({
          /** Of the score that is stored. */
          readonly name: string;
          /** number: from 0 to 1. boolean: true is 1. choice: one of `choices`. */
          readonly kind: "number" | "boolean" | "choice";
          /** What it means, for the judge. */
          readonly description?: string;
          readonly choices?: readonly ({
            /** The word in the judge's response. */
            readonly label: string;
            /** The score that it stands for. */
            readonly value: number;
          })[];
        })[];
        /** Which new requests, as in queries; default: "all". */
        readonly filter?: unknown;
        /** Percent of these that are judged; default: 10. */
        readonly share?: number;
        /** It pauses once so much is spent; null for no bound. */
        readonly budget?: {
          readonly dollars: number;
          /** Of the calendar, in UTC. */
          readonly per: "day" | "month";
        } | null;
        /** Name of the property that {{reference}} stands for. */
        readonly reference?: string | null;
        /** Whether new requests are judged; default: false. */
        readonly enabled?: boolean;
      };
      /** 1 to 10 request ids. */
      readonly requestIds: readonly (string)[];
    };
    readonly data: unknown;
  };
  /** List judges */
  readonly "GET /v1/judges": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Create a judge */
  readonly "POST /v1/judges": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: {
      /** Unique in the organization. */
      readonly name: string;
      /** As at the unified address: a route, a model or provider/model. */
      readonly model: string;
      /** Id of the service key that its calls are made with. It needs the scope gateway. */
      readonly key: string;
      /** What to judge and how, with {{input}}, {{output}}, {{messages}}, {{reference}}, {{property.<Name>}}. */
      readonly prompt: string;
      /** The scores that it gives. */
      readonly scores: readonly ({
        /** Of the score that is stored. */
        readonly name: string;
        /** number: from 0 to 1. boolean: true is 1. choice: one of `choices`. */
        readonly kind: "number" | "boolean" | "choice";
        /** What it means, for the judge. */
        readonly description?: string;
        readonly choices?: readonly ({
          /** The word in the judge's response. */
          readonly label: string;
          /** The score that it stands for. */
          readonly value: number;
        })[];
      })[];
      /** Which new requests, as in queries; default: "all". */
      readonly filter?: unknown;
      /** Percent of these that are judged; default: 10. */
      readonly share?: number;
      /** It pauses once so much is spent; null for no bound. */
      readonly budget?: {
        readonly dollars: number;
        /** Of the calendar, in UTC. */
        readonly per: "day" | "month";
      } | null;
      /** Name of the property that {{reference}} stands for. */
      readonly reference?: string | null;
      /** Whether new requests are judged; default: false. */
      readonly enabled?: boolean;
    };
    readonly data: unknown;
  };
  /** Read one judge */
  readonly "GET /v1/judges/{id}": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Replace a judge */
  readonly "PUT /v1/judges/{id}": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: {
      /** Unique in the organization. */
      readonly name: string;
      /** As at the unified address: a route, a model or provider/model. */
      readonly model: string;
      /** Id of the service key that its calls are made with. It needs the scope gateway. */
      readonly key: string;
      /** What to judge and how, with {{input}}, {{output}}, {{messages}}, {{reference}}, {{property.<Name>}}. */
      readonly prompt: string;
      /** The scores that it gives. */
      readonly scores: readonly ({
        /** Of the score that is stored. */
        readonly name: string;
        /** number: from 0 to 1. boolean: true is 1. choice: one of `choices`. */
        readonly kind: "number" | "boolean" | "choice";
        /** What it means, for the judge. */
        readonly description?: string;
        readonly choices?: readonly ({
          /** The word in the judge's response. */
          readonly label: string;
          /** The score that it stands for. */
          readonly value: number;
        })[];
      })[];
      /** Which new requests, as in queries; default: "all". */
      readonly filter?: unknown;
      /** Percent of these that are judged; default: 10. */
      readonly share?: number;
      /** It pauses once so much is spent; null for no bound. */
      readonly budget?: {
        readonly dollars: number;
        /** Of the calendar, in UTC. */
        readonly per: "day" | "month";
      } | null;
      /** Name of the property that {{reference}} stands for. */
      readonly reference?: string | null;
      /** Whether new requests are judged; default: false. */
      readonly enabled?: boolean;
    };
    readonly data: unknown;
  };
  /** Change parts of a judge */
  readonly "PATCH /v1/judges/{id}": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: {
      /** Unique in the organization. */
      readonly name?: string;
      /** As at the unified address: a route, a model or provider/model. */
      readonly model?: string;
      /** Id of the service key that its calls are made with. It needs the scope gateway. */
      readonly key?: string;
      /** What to judge and how, with {{input}}, {{output}}, {{messages}}, {{reference}}, {{property.<Name>}}. */
      readonly prompt?: string;
      /** The scores that it gives. */
      readonly scores?: readonly ({
        /** Of the score that is stored. */
        readonly name: string;
        /** number: from 0 to 1. boolean: true is 1. choice: one of `choices`. */
        readonly kind: "number" | "boolean" | "choice";
        /** What it means, for the judge. */
        readonly description?: string;
        readonly choices?: readonly ({
          /** The word in the judge's response. */
          readonly label: string;
          /** The score that it stands for. */
          readonly value: number;
        })[];
      })[];
      /** Which new requests, as in queries; default: "all". */
      readonly filter?: unknown;
      /** Percent of these that are judged; default: 10. */
      readonly share?: number;
      /** It pauses once so much is spent; null for no bound. */
      readonly budget?: {
        readonly dollars: number;
        /** Of the calendar, in UTC. */
        readonly per: "day" | "month";
      } | null;
      /** Name of the property that {{reference}} stands for. */
      readonly reference?: string | null;
      /** Whether new requests are judged; default: false. */
      readonly enabled?: boolean;
    };
    readonly data: unknown;
  };
  /** Remove a judge */
  readonly "DELETE /v1/judges/{id}": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Judge recorded requests */
  readonly "POST /v1/judges/{id}/run": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: {
      /** These requests. */
      readonly requestIds?: readonly (string)[];
      /** A filter: a leaf, a branch {"left", "operator", "right"}, or "all". See the page on querying. */
      readonly filter?: unknown;
      /** Id of a dataset: the requests that its items come from. Their outputs are {{reference}}. */
      readonly dataset?: string;
      /** Requests at most; default: 1000. */
      readonly limit?: number;
      /** true also judges requests that it has judged before. */
      readonly again?: boolean;
      /** true returns how many requests it would judge, and judges none. */
      readonly estimate?: boolean;
    };
    readonly data: unknown;
  };
  /** Drop the requests that wait for a judge */
  readonly "DELETE /v1/judges/{id}/run": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** List the latest work of a judge */
  readonly "GET /v1/judges/{id}/judgements": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** List reviews */
  readonly "GET /v1/reviews": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Make a review */
  readonly "POST /v1/reviews": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: {
      /** Unique in the organization. */
      readonly name: string;
      /** What reviewers are asked. */
      readonly scores: readonly ({
        /** Of the score that is stored. */
        readonly name: string;
        /** number: from `min` to `max`. boolean: true is 1. choice: one of `choices`. */
        readonly kind: "number" | "boolean" | "choice";
        /** What it means, for the reviewer. */
        readonly description?: string;
        readonly choices?: readonly ({
          /** What the reviewer chooses. */
          readonly label: string;
          /** The score that it stands for. */
          readonly value: number;
        })[];
        /** Of a number; default: 0. */
        readonly min?: number;
        /** Of a number; default: 1. */
        readonly max?: number;
        /** Of a number: only `min` plus whole steps; default: any. */
        readonly step?: number;
      })[];
      /** Which request comes first; default: newest. random is the same for every reviewer. */
      readonly order?: "newest" | "oldest" | "random";
      /** Number of reviewers per request; default: 1. */
      readonly reviewers?: number;
    };
    readonly data: unknown;
  };
  /** Read one review */
  readonly "GET /v1/reviews/{id}": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Replace a review */
  readonly "PUT /v1/reviews/{id}": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: {
      /** Unique in the organization. */
      readonly name: string;
      /** What reviewers are asked. */
      readonly scores: readonly ({
        /** Of the score that is stored. */
        readonly name: string;
        /** number: from `min` to `max`. boolean: true is 1. choice: one of `choices`. */
        readonly kind: "number" | "boolean" | "choice";
        /** What it means, for the reviewer. */
        readonly description?: string;
        readonly choices?: readonly ({
          /** What the reviewer chooses. */
          readonly label: string;
          /** The score that it stands for. */
          readonly value: number;
        })[];
        /** Of a number; default: 0. */
        readonly min?: number;
        /** Of a number; default: 1. */
        readonly max?: number;
        /** Of a number: only `min` plus whole steps; default: any. */
        readonly step?: number;
      })[];
      /** Which request comes first; default: newest. random is the same for every reviewer. */
      readonly order?: "newest" | "oldest" | "random";
      /** Number of reviewers per request; default: 1. */
      readonly reviewers?: number;
    };
    readonly data: unknown;
  };
  /** Change parts of a review */
  readonly "PATCH /v1/reviews/{id}": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: {
      /** Unique in the organization. */
      readonly name?: string;
      /** What reviewers are asked. */
      readonly scores?: readonly ({
        /** Of the score that is stored. */
        readonly name: string;
        /** number: from `min` to `max`. boolean: true is 1. choice: one of `choices`. */
        readonly kind: "number" | "boolean" | "choice";
        /** What it means, for the reviewer. */
        readonly description?: string;
        readonly choices?: readonly ({
          /** What the reviewer chooses. */
          readonly label: string;
          /** The score that it stands for. */
          readonly value: number;
        })[];
        /** Of a number; default: 0. */
        readonly min?: number;
        /** Of a number; default: 1. */
        readonly max?: number;
        /** Of a number: only `min` plus whole steps; default: any. */
        readonly step?: number;
      })[];
      /** Which request comes first; default: newest. random is the same for every reviewer. */
      readonly order?: "newest" | "oldest" | "random";
      /** Number of reviewers per request; default: 1. */
      readonly reviewers?: number;
    };
    readonly data: unknown;
  };
  /** Remove a review */
  readonly "DELETE /v1/reviews/{id}": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Take the next request of a review */
  readonly "POST /v1/reviews/{id}/next": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** List the reviews of requests */
  readonly "GET /v1/reviews/{id}/answers": {
    readonly path: {
      readonly id: string;
    };
    readonly query: {
      /** At most 1000. */
      readonly limit?: number;
      /** Rows to skip. */
      readonly offset?: number;
      /** true: only the caller's own. */
      readonly mine?: boolean;
    };
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Score a request of a review, or skip it */
  readonly "PUT /v1/reviews/{id}/answers/{request}": {
    readonly path: {
      readonly id: string;
      readonly request: string;
    };
    readonly query: Nothing;
    readonly body: {
      /** The scores that the review asks for, by name: a number, true or false, or the label of a choice. */
      readonly scores?: {
        readonly [name: string]: number | boolean | string;
      };
      /** Why; kept with each of these scores. */
      readonly reason?: string;
      /** true skips the request, without a score; other reviewers can take it. */
      readonly skip?: boolean;
    };
    readonly data: unknown;
  };
  /** Withdraw the review of a request */
  readonly "DELETE /v1/reviews/{id}/answers/{request}": {
    readonly path: {
      readonly id: string;
      readonly request: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Put requests into a review */
  readonly "POST /v1/reviews/{id}/requests": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: {
      /** Up to 1000 request ids. */
      readonly requestIds?: readonly (string)[];
      /** A filter: a leaf, a branch {"left", "operator", "right"}, or "all". See the page on querying. */
      readonly filter?: unknown;
      readonly isCached?: boolean | null;
      readonly isScored?: boolean | null;
      readonly isPartOfExperiment?: boolean | null;
      readonly limit?: number | null;
      readonly cursor?: string | null;
      /** Id of a dataset: the requests that its items were made of. */
      readonly dataset?: string;
    };
    readonly data: unknown;
  };
  /** List datasets */
  readonly "GET /v1/datasets": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: readonly (Dataset)[];
  };
  /** Create a dataset */
  readonly "POST /v1/datasets": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: {
      readonly name: string;
      readonly description?: string;
    };
    readonly data: Dataset;
  };
  /** Read one dataset */
  readonly "GET /v1/datasets/{id}": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: Dataset;
  };
  /** Rename or describe a dataset */
  readonly "PATCH /v1/datasets/{id}": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: {
      readonly name?: string;
      readonly description?: string;
    };
    readonly data: unknown;
  };
  /** Delete a dataset */
  readonly "DELETE /v1/datasets/{id}": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** List the versions of a dataset */
  readonly "GET /v1/datasets/{id}/versions": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** List the items of a dataset */
  readonly "GET /v1/datasets/{id}/items": {
    readonly path: {
      readonly id: string;
    };
    readonly query: {
      /** At most 500. */
      readonly limit?: number;
      /** `next_cursor` of the previous page. */
      readonly cursor?: string;
      /** Default: the newest. */
      readonly version?: number;
    };
    readonly body: undefined;
    readonly data: readonly (DatasetItem)[];
  };
  /** Put requests, or examples, into a dataset */
  readonly "POST /v1/datasets/{id}/items": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: {
      /** Up to 1000 request ids. */
      readonly requestIds?: readonly (string)[];
      /** A filter: a leaf, a branch {"left", "operator", "right"}, or "all". See the page on querying. */
      readonly filter?: unknown;
      readonly isCached?: boolean | null;
      readonly isScored?: boolean | null;
      readonly isPartOfExperiment?: boolean | null;
      readonly limit?: number | null;
      readonly cursor?: string | null;
      /** Examples that are written, not recorded. */
      readonly items?: readonly ({
        /** `messages` and `tools` as OpenAI's chat completions have them. */
        readonly input: {
          readonly messages: readonly (unknown)[];
          readonly tools?: readonly (unknown)[];
        };
        /** The assistant's message that is right; null where that is open. */
        readonly output?: {
          readonly [name: string]: unknown;
        } | null;
        /** Labels to filter by. */
        readonly labels?: readonly (string)[];
        readonly note?: string;
      })[];
      /** Labels to filter by. */
      readonly labels?: readonly (string)[];
    };
    readonly data: unknown;
  };
  /** Remove items from a dataset */
  readonly "DELETE /v1/datasets/{id}/items": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: {
      /** Ids of items. */
      readonly ids: readonly (string)[];
    };
    readonly data: unknown;
  };
  /** Change an item */
  readonly "PATCH /v1/datasets/{id}/items/{item}": {
    readonly path: {
      readonly id: string;
      readonly item: string;
    };
    readonly query: Nothing;
    readonly body: {
      /** `messages` and `tools` as OpenAI's chat completions have them. */
      readonly input?: {
        readonly messages: readonly (unknown)[];
        readonly tools?: readonly (unknown)[];
      };
      /** The assistant's message that is right; null where that is open. */
      readonly output?: {
        readonly [name: string]: unknown;
      } | null;
      /** Labels to filter by. */
      readonly labels?: readonly (string)[];
      readonly note?: string;
    };
    readonly data: unknown;
  };
  /** List the runs of a dataset */
  readonly "GET /v1/datasets/{id}/runs": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Run a dataset */
  readonly "POST /v1/datasets/{id}/runs": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: {
      readonly targets: readonly ({
        /** A model string: a model or a route. */
        readonly model: string;
        /** What the target is called in results; default: the model. */
        readonly name?: string;
        /** A system prompt that replaces the item's. */
        readonly system?: string;
        /** Other members of the body, such as `temperature`. */
        readonly parameters?: {
          readonly [name: string]: unknown;
        };
        /** As in `Gateway-Prompt-Id`. */
        readonly prompt_id?: string;
        /** As in `Gateway-Prompt-Version`. */
        readonly prompt_version?: string;
      })[];
      /** Version of the dataset; default: the newest. */
      readonly version?: number;
      /** Only items with this label. */
      readonly label?: string;
      /** US dollars. A call is not started if it would exceed this at the cost of the most expensive call so far. */
      readonly max_cost?: number | null;
      /** Calls at a time; default: 4. */
      readonly concurrency?: number;
      /** Default: the names of the models. */
      readonly name?: string;
      /** How often a failed call is retried; default: 2. */
      readonly retries?: number;
      /** false requests whole responses, which have no time to the first token. */
      readonly stream?: boolean;
    };
    readonly data: unknown;
  };
  /** Estimate what a run costs */
  readonly "POST /v1/datasets/{id}/runs/estimate": {
    readonly path: {
      readonly id: string;
    };
    readonly query: Nothing;
    readonly body: {
      readonly targets: readonly ({
        /** A model string: a model or a route. */
        readonly model: string;
        /** What the target is called in results; default: the model. */
        readonly name?: string;
        /** A system prompt that replaces the item's. */
        readonly system?: string;
        /** Other members of the body, such as `temperature`. */
        readonly parameters?: {
          readonly [name: string]: unknown;
        };
        /** As in `Gateway-Prompt-Id`. */
        readonly prompt_id?: string;
        /** As in `Gateway-Prompt-Version`. */
        readonly prompt_version?: string;
      })[];
      /** Version of the dataset; default: the newest. */
      readonly version?: number;
      /** Only items with this label. */
      readonly label?: string;
    };
    readonly data: unknown;
  };
  /** Read a run */
  readonly "GET /v1/datasets/{id}/runs/{run}": {
    readonly path: {
      readonly id: string;
      readonly run: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Delete a run */
  readonly "DELETE /v1/datasets/{id}/runs/{run}": {
    readonly path: {
      readonly id: string;
      readonly run: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Compare responses */
  readonly "GET /v1/datasets/{id}/runs/{run}/items": {
    readonly path: {
      readonly id: string;
      readonly run: string;
    };
    readonly query: {
      /** At most 500. */
      readonly limit?: number;
      /** `next_cursor` of the previous page. */
      readonly cursor?: string;
      /** true shows only the items that failed at a target. */
      readonly errors?: boolean;
    };
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Cancel a run */
  readonly "POST /v1/datasets/{id}/runs/{run}/cancel": {
    readonly path: {
      readonly id: string;
      readonly run: string;
    };
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Continue a run */
  readonly "POST /v1/datasets/{id}/runs/{run}/resume": {
    readonly path: {
      readonly id: string;
      readonly run: string;
    };
    readonly query: Nothing;
    readonly body: {
      /** US dollars. A call is not started if it would exceed this at the cost of the most expensive call so far. */
      readonly max_cost?: number | null;
      /** Calls at a time; default: 4. */
      readonly concurrency?: number;
      /** true sends the items that failed again. */
      readonly errors?: boolean;
    };
    readonly data: unknown;
  };
  /** List plugins */
  readonly "GET /v1/plugins": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: readonly (Plugin)[];
  };
  /** List providers */
  readonly "GET /v1/providers": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: readonly (Provider)[];
  };
  /** Whether the process is alive */
  readonly "GET /healthz": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Whether traffic is served */
  readonly "GET /readyz": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** State of all components */
  readonly "GET /v1/health": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
  /** Model Context Protocol */
  readonly "POST /mcp": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: Nothing;
    readonly data: unknown;
  };
  /** This description as OpenAPI */
  readonly "GET /openapi.json": {
    readonly path: Nothing;
    readonly query: Nothing;
    readonly body: undefined;
    readonly data: unknown;
  };
}
