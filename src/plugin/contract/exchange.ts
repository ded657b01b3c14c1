import type { Json } from "./json.ts";
import type { Usage } from "./reading.ts";

/** What a plugin needs of a request's body. */
export type BodyNeed = "user" | "model" | "body";

/** The stored credential that pays for a call of the unified address, without its secrets. */
export interface PayingCredential {
  /** Unique in its organization. */
  readonly name: string;
  /** Empty for a credential of `weir.toml`. */
  readonly organizationId: string;
  /** Rate-limit policies as text, such as `600;w=60`; undefined where it has none. */
  readonly limit: string | undefined;
}

/** A request as plugins see it, without any credential. Members that cost something are made when first read. */
export interface GatewayRequest {
  readonly id: string;
  /** Id of the client's request, where this is asked for one of its fallbacks: what that holds of a budget is for both. */
  readonly fallbackOf?: string | undefined;
  /**
   * At the unified address, where plugins are asked about each call: the id of this call. `onEnd` is called with it as
   * well. Undefined in pass-through.
   */
  readonly callId?: string | undefined;
  /** How many calls it takes: more than 1 where a request for embeddings is split, because the model takes fewer texts. */
  readonly calls?: number | undefined;
  /** At the unified address: the route that led to this call. */
  readonly route?: string | undefined;
  /** At the unified address: the credential that pays for this call; undefined for the client's own key. */
  readonly credential?: PayingCredential | undefined;
  readonly method: string;
  readonly path: string;
  readonly target: {
    readonly origin: string;
    /** Lower case, without port and brackets. */
    readonly host: string;
    /** The provider whose host this is, whatever the client called it; undefined where no provider claims the host. */
    readonly owner: string | undefined;
  };
  readonly provider: string;
  readonly headers: Headers;
  readonly organizationId: string;
  /** Id of the service key. */
  readonly keyId: string;
  /** Patterns of the models that this key may use; null for all. */
  readonly keyModels: readonly string[] | null;
  /** What `Gateway-User-Id` says; without it the user that the body names, where a plugin needs `user`. */
  readonly userId: string | undefined;
  /** The model that the path names, or else the body, where a plugin needs `model`. Undefined where neither names one. */
  readonly model: string | undefined;
  /** The request's body, where a plugin needs `body` and it is JSON; else undefined. To be left as it is. */
  readonly body: Json;
  readonly properties: Readonly<Record<string, string>>;
  /**
   * What the header `Gateway-<name>` says, as UTF-8; several of them joined by ", ". Aliases of the prefix are the same.
   *
   * @param name - lower case, such as `ratelimit-policy`. Never `auth`.
   */
  gatewayHeader(name: string): string | undefined;
}

/** A refusal in place of the provider's answer. */
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
  /** What plugins may read and not change. Made when it is read. */
  readonly facts: RecordFacts;
}

/** What a finished exchange was, beside what a plugin may change in its record. Times are milliseconds since 1970. */
export interface RecordFacts {
  readonly method: string;
  /** Path and query as sent, credentials masked. */
  readonly path: string;
  /** Origin of the target, or null where the request named none that can be read. */
  readonly target: string | null;
  /** The format that the bodies were read with, such as `chat-completions`; null where it is not known. */
  readonly wireSchema: string | null;
  readonly requestModel: string | null;
  readonly responseModel: string | null;
  /** The provider's own id of the answer. */
  readonly responseId: string | null;
  readonly startedAt: number;
  /** Null for an exchange that was cut off by a stop of the gateway. */
  readonly endedAt: number | null;
  /** Milliseconds from passing a streamed request on to the first byte of its answer. */
  readonly timeToFirstToken: number | null;
  readonly usage: Usage;
  /** Whether the usage was counted by a tokenizer, because nobody said it. */
  readonly usageEstimated: boolean;
  readonly streamed: boolean;
  /** Answered from the cache. */
  readonly cached: boolean;
  readonly outcome: RequestEnd["outcome"] | null;
  readonly error: { readonly code: string | null; readonly message: string | null } | null;
  readonly sessionId: string | null;
  readonly promptId: string | null;
  /** What was said last to the model, in whatever format; null where nothing can be read, or it was omitted. */
  readonly promptText: string | null;
  /** What the model said, in whatever format; null where nothing can be read, or it was omitted. */
  readonly responseText: string | null;
  /** Without `Gateway-*`; credential values are masked. */
  readonly requestHeaders: Headers;
  readonly responseHeaders: Headers;
}

/** What a hook adds to a request that it lets pass. */
export interface Admission {
  /** Headers for the response, from the provider, the cache or the gateway. */
  readonly responseHeaders?: Readonly<Record<string, string>>;
  /** From `onRequest` only: what the provider gets in place of what the client sent. The record keeps both. */
  readonly send?: RequestChange;
}

/** A change of what is sent to the provider. Plugins behind this one see the changed body. */
export interface RequestChange {
  /** Headers in place of the client's; null leaves one out. Not `Host`, `Gateway-*`, and those that frame the message. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /**
   * Members in place of those at the top level of the JSON body; null leaves one out. All others stay byte for byte. For
   * plugins that need `body`: 500 `plugin_failed` where the body is not a JSON object.
   */
  readonly body?: Readonly<Record<string, Json>>;
}

/** How an exchange ended, or one call of it at the unified address. */
export interface RequestEnd {
  readonly id: string;
  /** For the end of a call: the record that has its usage. */
  readonly recordId?: string;
  /** As the record will say it; 0 where there is none. */
  readonly status: number;
  readonly outcome:
    | "complete"
    | "client_gone"
    | "upstream_failed"
    | "upstream_timeout"
    /** By the gateway or a plugin, for what the request is. */
    | "refused"
    /** The gateway could not serve it: 500 `plugin_failed`, 503 `spool_full`. */
    | "failed"
    | "cut_off";
  /** Whether anything went to the provider. */
  readonly forwarded: boolean;
}

/**
 * What a request was answered, whole: of the provider, the cache, the gateway or a plugin, as the client got it and as its
 * record has it. Without credentials. To be left as it is.
 */
export interface GatewayAnswer {
  /** The record's id; that of the request, but for failed tries, which have records of their own. */
  readonly id: string;
  /** Of a failed try: id of the client's request. */
  readonly attemptOf: string | undefined;
  readonly organizationId: string;
  /** Id of the service key. */
  readonly keyId: string;
  readonly method: string;
  /** Path and query as sent, credentials masked. */
  readonly path: string;
  readonly provider: string;
  /** Origin of the target that was called; undefined where the request named none. */
  readonly target: string | undefined;
  readonly route: string | undefined;
  /** Name of the credential that paid at the unified address; `client` for the client's own key. */
  readonly credential: string | undefined;
  readonly userId: string | undefined;
  readonly sessionId: string | undefined;
  readonly properties: Readonly<Record<string, string>>;
  /** The model that answered, else the one that was asked; undefined where nobody named one. */
  readonly model: string | undefined;
  /** The status that the client got; undefined where there was none. */
  readonly status: number | undefined;
  /** Response headers, without those that hold credentials. */
  readonly headers: Headers;
  /**
   * The body where it is JSON; of a stream the object that it would have been without streaming. Undefined where it is no JSON,
   * was omitted, or is over 256 kB as JSON.
   */
  readonly body: Json;
  /** Bytes of the body as it was sent; where `body` is undefined it says whether there was one. */
  readonly bodyBytes: number;
  /** What the model said, in whatever format; undefined where `body` is, or where nothing can be read. */
  readonly text: string | undefined;
  /** Whether a part of the answer is not in the record: it broke off, or was over `max_recorded_body_bytes`. */
  readonly truncated: boolean;
  readonly usage: Usage;
  /** US dollars; undefined where it is not known. */
  readonly cost: number | undefined;
  readonly streamed: boolean;
  /** Answered from the cache. */
  readonly cached: boolean;
  readonly outcome: RequestEnd["outcome"];
  readonly error: { readonly code: string | null; readonly message: string | null } | undefined;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
}

/** A score that says why. */
export interface ReasonedScore {
  readonly value: number | boolean;
  /** At most 4,000 characters are kept. */
  readonly reason?: string;
}

/** What `onAnswer` and `onRecorded` add to the record. */
export interface AnswerNote {
  /** Names and values; null takes a property away. */
  readonly properties?: Readonly<Record<string, string | null>>;
  /** true is stored as 1, false as 0. */
  readonly scores?: Readonly<Record<string, number | boolean | ReasonedScore>>;
}
