/** Codes of all failures that a caller can cause or must see, with their HTTP status. */
interface ErrorSpec {
  readonly status: number;
  /** Default message: what was wrong and how to fix it. The place that throws can give a more exact one. */
  readonly text: string;
}

export const ERRORS = {
  bad_request: { status: 400, text: "the request is not well-formed HTTP" },
  missing_target: { status: 400, text: "send Gateway-Target-Url, or use a provider's own address" },
  invalid_target: { status: 400, text: "Gateway-Target-Url must be an origin such as https://api.example.com" },
  invalid_path: {
    status: 400,
    text: "the path must be a URI path without raw spaces, control bytes, # or dot segments",
  },
  invalid_header: { status: 400, text: "a Gateway-* header has a value that cannot be read" },
  missing_gateway_auth: { status: 401, text: "send Gateway-Auth: Bearer <service key>" },
  invalid_gateway_auth: {
    status: 401,
    text: "the key in Gateway-Auth is unknown; create one with: weir keys create",
  },
  expired_gateway_auth: {
    status: 401,
    text: "the key in Gateway-Auth has expired; create a new one with: weir keys create",
  },
  insufficient_scope: { status: 403, text: "the key lacks the scope that this needs; use one that has it" },
  insufficient_permission: { status: 403, text: "this needs a permission that the caller lacks" },
  not_a_member: { status: 403, text: "you are in no organization here; ask an admin for an invitation" },
  login_refused: { status: 403, text: "this account may not log in here" },
  login_expired: {
    status: 400,
    text: "this log-in was not started in this browser, was used, or took more than ten minutes: start again",
  },
  invalid_id_token: { status: 401, text: "the identity provider sent an invalid ID token" },
  sso_failed: { status: 502, text: "the identity provider sent an unexpected response" },
  sso_unavailable: { status: 503, text: "the identity provider cannot be reached now" },
  target_forbidden: {
    status: 403,
    text: "the target's address is not allowed; weir domains approve <host> --private opens it",
  },
  untranslatable: { status: 400, text: "the request has a member that no target supports" },
  no_credential: {
    status: 400,
    text: "there is no credential for this provider; add one with: weir credentials add, or send Gateway-Provider-Key",
  },
  model_forbidden: { status: 403, text: "this service key may not use this model" },
  model_not_found: { status: 404, text: "no model or route has this name; write provider/model, or a route's name" },
  unknown_endpoint: {
    status: 404,
    text: "the unified address does not have this endpoint; pass-through has every endpoint of every provider",
  },
  previous_response_not_found: {
    status: 404,
    text: "the earlier response is not recorded here with its bodies; send the whole input",
  },
  thread_not_found: {
    status: 404,
    text: 'no target of this request stores threads; send the whole conversation, with thread: {"type": "create"} or without thread',
  },
  credentials_key_missing: {
    status: 409,
    text: "several nodes may share this database: set WEIR_CREDENTIALS_KEY or WEIR_CREDENTIALS_KEY_FILE on each",
  },
  duplicate_request_id: { status: 409, text: "Gateway-Request-Id was used before; send another one or none" },
  body_too_slow: { status: 408, text: "the body did not arrive in time; send the request again" },
  body_too_large: { status: 413, text: "the body is over the limit" },
  rate_limited: { status: 429, text: "a rate limit is exceeded; wait for Retry-After" },
  internal_error: { status: 500, text: "the API failed on this request; its log says why" },
  plugin_failed: { status: 500, text: "a plugin failed on this request; the log says which" },
  upstream_unreachable: { status: 502, text: "the provider could not be reached" },
  credential_rejected: {
    status: 502,
    text: "the provider refused the stored credential; the service key is valid",
  },
  upstream_malformed: { status: 502, text: "the provider's response cannot be read" },
  credential_locked: {
    status: 503,
    text: "the stored credential cannot be decrypted with the keys that this node has; see weir credentials list",
  },
  bodies_full: {
    status: 503,
    text: "the memory for request bodies is full (WEIR_WHOLE_BODIES_MAX_BYTES); send the request again",
  },
  spool_full: { status: 503, text: "the gateway cannot record requests now and is configured to refuse them" },
  shutting_down: { status: 503, text: "the gateway is stopping; send the request again" },
  upstream_timeout: {
    status: 504,
    text: "the provider sent no response headers in time; WEIR_UPSTREAM_TIMEOUT_SECONDS sets this limit",
  },
  upstream_stalled: {
    status: 504,
    text: "the provider stopped in the middle of its response; WEIR_UNIFIED_STALL_SECONDS sets this limit",
  },

  invalid_body: { status: 400, text: "the request body does not fit this endpoint" },
  filter_invalid: { status: 400, text: "the filter does not follow the filter grammar" },
  search_off: {
    status: 400,
    text: "words are not indexed here: set search_index to yes, or use the filter `contains` on bodies",
  },
  sort_invalid: { status: 400, text: "the sort object has an unknown key or value" },
  missing_auth: { status: 401, text: "send Authorization: Bearer <service key>" },
  invalid_auth: { status: 401, text: "the key in Authorization is unknown, expired or revoked" },
  cross_site_request: { status: 403, text: "a page of another site cannot use this log-in to change something" },
  not_found: { status: 404, text: "there is nothing with this path, id or name" },
  method_not_allowed: { status: 405, text: "this path does not support this method" },
  duplicate_name: { status: 409, text: "the name is taken; choose another one, or change the object that has it" },
  defined_in_file: { status: 409, text: "the configuration file defines it; change it there" },
  dashboard_missing: { status: 503, text: "the dashboard is not built here; run `npm ci` and start again" },
  bodies_unavailable: { status: 503, text: "the object store that holds bodies cannot be reached now; try again" },
  database_unavailable: { status: 503, text: "the database cannot be reached now; try again" },
  database_unusable: { status: 500, text: "the file is damaged, or not a database" },
  database_foreign: { status: 500, text: "the database has tables of another program; configure another one" },
  database_newer: { status: 500, text: "a newer Weir has used the database; start that one" },
  query_timeout: { status: 504, text: "the query exceeded its time limit; narrow it" },

  config_invalid: { status: 500, text: "the configuration has an unknown key or a bad value" },
  plugin_invalid: { status: 500, text: "a provider or plugin file does not fit the contract" },
} as const satisfies Record<string, ErrorSpec>;

export type ErrorCode = keyof typeof ERRORS;

/**
 * A failure that a caller caused or must see. Anything else that is thrown is a bug and becomes a bare 500 at the edge.
 *
 * `message` must not contain a key or a body: it goes to clients, logs and records.
 */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  /** Path of the wrong name or value in the request body, such as `filter.left.request_response_rmt.latencyy`. */
  readonly path: string | undefined;
  /** Additional response headers, such as `retry-after`. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    message: string = ERRORS[code].text,
    options: { path?: string; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.name = "GatewayError";
    this.code = code;
    this.path = options.path;
    this.headers = options.headers ?? {};
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}
