import type { Json } from "./json.ts";
import type { Usage } from "./reading.ts";

/** The parts of a request's body that a plugin needs. */
export type BodyNeed = "user" | "model" | "body";

/** The stored credential that pays for a call of the unified address, without its secrets. */
export interface PayingCredential {
  /** Unique in its organization. */
  readonly name: string;
  /** Empty for a credential of `weir.toml`. */
  readonly organizationId: string;
  /** Rate-limit policies as text, such as `600;w=60`; undefined if it has none. */
  readonly limit: string | undefined;
}

/** A request as seen by plugins, without any credential. Expensive members are computed when first read. */
export interface GatewayRequest {
  readonly id: string;
  /** The client request's id, if this request is one of its fallbacks: they share the budget hold. */
  readonly fallbackOf?: string | undefined;
  /**
   * At the unified address, where plugins are called per provider call: the id of this call. `onEnd` is called with it as
   * well. Undefined in pass-through.
   */
  readonly callId?: string | undefined;
  /** The number of calls: more than 1 if a request for embeddings is split because the model accepts fewer texts. */
  readonly calls?: number | undefined;
  /** At the unified address: the route that led to this call. */
  readonly route?: string | undefined;
  /** At the unified address: the credential that pays for this call; undefined for the client's own key. */
  readonly credential?: PayingCredential | undefined;
  readonly method: string;
  readonly path: string;
  readonly target: {
    readonly origin: string;
    /** Lower case, without port and without brackets. */
    readonly host: string;
    /** The provider that owns this host, regardless of the client's headers; undefined if no provider claims it. */
    readonly owner: string | undefined;
  };
  readonly provider: string;
  readonly headers: Headers;
  readonly organizationId: string;
  /** Id of the service key. */
  readonly keyId: string;
  /** Patterns of the models that this key may use; null for all. */
  readonly keyModels: readonly string[] | null;
  /** The value of `Gateway-User-Id`; otherwise the body's user, if a plugin needs `user`. */
  readonly userId: string | undefined;
  /** The model in the path, otherwise in the body, if a plugin needs `model`. Undefined if neither names one. */
  readonly model: string | undefined;
  /** The request's body, if a plugin needs `body` and it is JSON; otherwise undefined. Do not modify it. */
  readonly body: Json;
  readonly properties: Readonly<Record<string, string>>;
  /**
   * The value of the header `Gateway-<name>`, as UTF-8; several are joined by ", ". Aliases of the prefix count as well.
   *
   * @param name - lower case, such as `ratelimit-policy`. Never `auth`.
   */
  gatewayHeader(name: string): string | undefined;
}

/** Requests of one key to one host, without a `Gateway-RateLimit-Policy` and with a key for all models. */
export type RequestKind = Pick<GatewayRequest, "organizationId" | "keyId" | "provider" | "target">;

/** A refusal, sent instead of the provider's response. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A record before it is stored; `onRecord` may change it. */
export interface RecordDraft {
  readonly request_id: string;
  readonly organization_id: string;
  provider: string;
  model: string | null;
  request_user_id: string | null;
  properties: Record<string, string>;
  cost: number | null;
  threat: boolean | null;
  readonly response_status: number | null;
  request_body: Json;
  response_body: Json;
  /** Read-only facts, computed on first read. */
  readonly facts: RecordFacts;
}

/** The facts of a finished exchange that a plugin may not change. Times are milliseconds since 1970. */
export interface RecordFacts {
  readonly method: string;
  /** Path and query as sent, credentials masked. */
  readonly path: string;
  /** Origin of the target, or null if the request has no readable one. */
  readonly target: string | null;
  /** The wire format of the bodies, such as `chat-completions`; null if unknown. */
  readonly wireSchema: string | null;
  readonly requestModel: string | null;
  readonly responseModel: string | null;
  /** The provider's own id of the response. */
  readonly responseId: string | null;
  readonly startedAt: number;
  /** Null if a stop of the gateway cut the exchange off. */
  readonly endedAt: number | null;
  /** Milliseconds from forwarding a streamed request to the first byte of its response. */
  readonly timeToFirstToken: number | null;
  readonly usage: Usage;
  /** Whether a tokenizer counted the usage because the provider did not report it. */
  readonly usageEstimated: boolean;
  readonly streamed: boolean;
  /** Served from the cache. */
  readonly cached: boolean;
  readonly outcome: RequestEnd["outcome"] | null;
  readonly error: { readonly code: string | null; readonly message: string | null } | null;
  readonly sessionId: string | null;
  readonly promptId: string | null;
  /** The last message to the model, in any format; null if it is unreadable or was omitted. */
  readonly promptText: string | null;
  /** The model's text, in any format; null if it is unreadable or was omitted. */
  readonly responseText: string | null;
  /** Without `Gateway-*`; credential values are masked. */
  readonly requestHeaders: Headers;
  readonly responseHeaders: Headers;
}

/** What a hook adds to a request that it allows. */
export interface Admission {
  /** Headers added to the response, whether it comes from the provider, the cache or the gateway. */
  readonly responseHeaders?: Readonly<Record<string, string>>;
  /** From `onRequest` only: changes to the provider's request. The record keeps both versions. */
  readonly send?: RequestChange;
}

/** A change to the provider's request. Later plugins see the changed body. */
export interface RequestChange {
  /** Headers that replace the client's; null removes one. Not allowed: `Host`, `Gateway-*` and framing headers. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /**
   * Replacements for top-level members of the JSON body; null removes one. All other members keep their bytes. Only for
   * plugins that need `body`; if the body is not a JSON object, the request fails with 500 `plugin_failed`.
   */
  readonly body?: Readonly<Record<string, Json>>;
}

/** How an exchange ended or, at the unified address, one call of it. */
export interface RequestEnd {
  readonly id: string;
  /** For the end of a call: id of the record that holds its usage. */
  readonly recordId?: string;
  /** The status that the record will have; 0 if there is none. */
  readonly status: number;
  readonly outcome:
    | "complete"
    | "client_gone"
    | "upstream_failed"
    | "upstream_timeout"
    /** Refused by the gateway or a plugin. */
    | "refused"
    /** The gateway could not serve it: 500 `plugin_failed`, 503 `spool_full`. */
    | "failed"
    | "cut_off";
  /** Whether anything was sent to the provider. */
  readonly forwarded: boolean;
}

/**
 * The complete response to a request: from the provider, the cache, the gateway or a plugin, as the client received it and
 * as the record holds it, without credentials. Do not modify it.
 */
export interface GatewayAnswer {
  /** The record's id. It is the request's id, except for failed attempts, which have records of their own. */
  readonly id: string;
  /** For a failed attempt: id of the client's request. */
  readonly attemptOf: string | undefined;
  readonly organizationId: string;
  /** Id of the service key. */
  readonly keyId: string;
  readonly method: string;
  /** Path and query as sent, credentials masked. */
  readonly path: string;
  readonly provider: string;
  /** Origin of the target that was called; undefined if the request has none. */
  readonly target: string | undefined;
  readonly route: string | undefined;
  /** Name of the credential that paid for the call at the unified address; `client` for the client's own key. */
  readonly credential: string | undefined;
  readonly userId: string | undefined;
  readonly sessionId: string | undefined;
  readonly properties: Readonly<Record<string, string>>;
  /** The responding model, otherwise the requested one; undefined if neither is known. */
  readonly model: string | undefined;
  /** The status that the client received; undefined if there was none. */
  readonly status: number | undefined;
  /** Response headers, without credentials. */
  readonly headers: Headers;
  /**
   * The body if it is JSON; for a stream, the equivalent non-streamed object. Undefined if it is not JSON, was omitted, or
   * is over 256 kB as JSON.
   */
  readonly body: Json;
  /** Bytes of the body as sent; shows whether there was a body if `body` is undefined. */
  readonly bodyBytes: number;
  /** The model's text, in any format; undefined if `body` is undefined or the text is unreadable. */
  readonly text: string | undefined;
  /**
   * Whether the record lacks a part of the response, because the response broke off or exceeded `max_recorded_body_bytes`.
   */
  readonly truncated: boolean;
  readonly usage: Usage;
  /** US dollars; undefined if unknown. */
  readonly cost: number | undefined;
  readonly streamed: boolean;
  /** Served from the cache. */
  readonly cached: boolean;
  readonly outcome: RequestEnd["outcome"];
  readonly error: { readonly code: string | null; readonly message: string | null } | undefined;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
}

/** A score with a reason. */
export interface ReasonedScore {
  readonly value: number | boolean;
  /** At most 4,000 characters are stored. */
  readonly reason?: string;
}

/** What `onAnswer` and `onRecorded` add to the record. */
export interface AnswerNote {
  /** Names and values; null removes a property. */
  readonly properties?: Readonly<Record<string, string | null>>;
  /** true is stored as 1, false as 0. */
  readonly scores?: Readonly<Record<string, number | boolean | ReasonedScore>>;
}
