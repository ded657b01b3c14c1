/**
 * The public contract of providers and plugins, published as `weir/plugin`: types only, nothing to import at run time.
 *
 * A provider says whose traffic is whose and how to read it. A plugin takes part in what passes. Both are one file with
 * one default export; built-in ones go through the same door as those that are dropped into a folder.
 */

/** JSON from outside: probe it with `?.` and expect anything. */
// biome-ignore lint/suspicious/noExplicitAny: the one alias for JSON that we did not write
export type Json = any;

/**
 * Token counts of one exchange. A missing member means that the provider did not say; it is never the same as 0.
 *
 * `prompt_tokens` is all input and `completion_tokens` all output: caches, audio and reasoning are parts of them.
 */
export interface Usage {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly total_tokens?: number;
  readonly prompt_cache_read_tokens?: number;
  /** All tokens written to a cache, whatever their lifetime. */
  readonly prompt_cache_write_tokens?: number;
  /** The part of `prompt_cache_write_tokens` that is kept for an hour, which is dearer. */
  readonly prompt_cache_write_1h_tokens?: number;
  readonly prompt_audio_tokens?: number;
  readonly completion_audio_tokens?: number;
  readonly reasoning_tokens?: number;
}

/** What is known of an exchange beside its bodies. `headers` never hold credentials. */
export interface ExchangeView {
  readonly method: string;
  /** Path and query as sent, credentials masked. */
  readonly path: string;
  /** Host of the target, lower case, without port. */
  readonly host: string;
  readonly requestHeaders: Headers;
  /** The request body where it is JSON. */
  readonly requestBody: Json;
  /** Status that the provider sent. */
  readonly status: number;
  readonly responseHeaders: Headers;
}

export interface RequestReading {
  readonly model?: string;
  readonly stream?: boolean;
  /** The end user that the body itself names. */
  readonly userId?: string;
}

/** What a provider's answer tells. */
export interface Reading {
  /** The provider's own id of the answer. */
  readonly id?: string;
  readonly model?: string;
  readonly usage?: Usage;
  /** The usage block as it was sent. */
  readonly usageRaw?: Json;
  /** US dollars, where the provider itself states what the request cost. */
  readonly cost?: number;
  /** A failure that the answer reports, also inside a stream whose status was 200. */
  readonly error?: { readonly message: string; readonly type?: string };
}

/** The state of a stream being folded: `body` is the object that the provider would have sent without streaming. */
export interface StreamReading extends Reading {
  readonly body?: Json;
}

/** One event of a stream: SSE, a line of NDJSON, an element of a JSON array or a message of an AWS event stream. */
export interface StreamEvent {
  /** SSE `event:` or the event stream's `:event-type`. */
  readonly name?: string;
  /** The event's data where it is JSON, else its text. */
  readonly data: Json;
}

/** Families of wire formats that Weir reads by itself; a provider says at which of its paths it speaks which. */
export type WireSchemaName =
  | "chat-completions"
  | "responses"
  | "completions"
  | "embeddings"
  | "images"
  | "speech"
  | "transcriptions"
  | "moderations"
  | "messages"
  | "generate-content"
  | "interactions"
  | "converse"
  | "cohere-chat"
  | "cohere-generate"
  | "ollama-chat"
  | "ollama-generate"
  | "text-generation"
  | "rerank"
  | "logged";

export interface PathSchema {
  /** Regular expression on the path without its query string. */
  readonly path: RegExp;
  readonly schema: WireSchemaName;
}

/**
 * A provider: plain data and pure functions. It holds no state, because it is loaded in more than one thread.
 */
export interface ProviderPlugin {
  readonly apiVersion: 1;
  /** Upper case; the `provider` of its records. */
  readonly name: string;
  /** Other names that `Gateway-Target-Provider` may use, lower case; `-`, `_`, `.` and spaces in them do not count. */
  readonly aliases?: readonly string[];
  /** Host names of its targets, `*.` standing for one or more leading labels. They are approved from the start. */
  readonly hosts?: readonly string[];
  /** Origin that its own gateway address forwards to. */
  readonly target?: string;
  /** First label of its own gateway address. */
  readonly dedicatedDomain?: string;
  /** Another provider, by name: what this one leaves out is read as that one reads it. */
  readonly extends?: string;
  /**
   * Tried in order, before those of the provider that it extends; the first whose path fits is used, and where several
   * do, the first whose bodies fit, else the last.
   */
  readonly wireSchemas?: readonly PathSchema[];
  /** Credentials of its own beside the usual ones, lower case. Their values are never stored. */
  readonly mask?: { readonly headers?: readonly string[]; readonly query?: readonly string[] };
  /** Overrides what the wire schema reads from the request. */
  readonly readRequest?: (body: Json, exchange: ExchangeView) => RequestReading;
  /** Overrides what the wire schema reads from a whole answer; members that are missing stay as read. */
  readonly readResponse?: (body: Json, exchange: ExchangeView) => Reading;
  /** Overrides what the wire schema reads from a stream: called once per event, in order. */
  readonly readEvent?: (reading: StreamReading, event: StreamEvent, exchange: ExchangeView) => StreamReading;
  /** US dollars for one exchange, or null where the price is not known. */
  readonly cost?: (usage: Usage, model: string, exchange: ExchangeView) => number | null;
}

export interface PluginLog {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** A request as plugins see it: no credential, no body. Members that cost something are made when first read. */
export interface GatewayRequest {
  readonly id: string;
  /** Id of the client's request, where this is asked for one of its fallbacks: what that holds of a budget is for both. */
  readonly fallbackOf?: string | undefined;
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
  readonly userId: string | undefined;
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
  /** Without `Gateway-*`; credential values are masked. */
  readonly requestHeaders: Headers;
  readonly responseHeaders: Headers;
}

/** What a hook adds to a request that it lets go on. */
export interface Admission {
  /** Headers for the answer, whoever it comes from. */
  readonly responseHeaders: Readonly<Record<string, string>>;
}

/** How an exchange ended. */
export interface RequestEnd {
  readonly id: string;
  /** As the record will say it; 0 where there is none. */
  readonly status: number;
  readonly outcome: "complete" | "client_gone" | "upstream_failed" | "upstream_timeout" | "refused" | "cut_off";
  /** Whether anything went to the provider. */
  readonly forwarded: boolean;
}

type Verdict = Refusal | Admission | undefined | void;

export interface PluginHooks {
  /**
   * Gateway thread, before `onRequest`: whether it matters who the user is. Where one says so, and no header names a user,
   * the body is read first, and `userId` is the user that it names. Failing counts as no.
   */
  readsUser?(request: GatewayRequest): boolean;
  /**
   * Gateway thread, for every request, before the cache is asked and the target is called: what may be asked at all.
   * Nothing returned means: go on. Throwing or 250 ms: 500 `plugin_failed`.
   */
  onRequest?(request: GatewayRequest): Verdict | Promise<Verdict>;
  /**
   * Gateway thread, right before the target is called and not for an answer from the cache: what counts requests counts
   * them here. Answers and fails as `onRequest`.
   */
  onForward?(request: GatewayRequest): Verdict | Promise<Verdict>;
  /**
   * Gateway thread, once for every request that `onForward` was asked about, when its answer is over; also where this
   * plugin or another one refused it. What was counted for a request whose outcome is `refused`, or that was not
   * forwarded, is to be given back here.
   */
  onEnd?(end: RequestEnd): void;
  /** Recorder thread, before the record is stored. `false` drops the record. */
  onRecord?(draft: RecordDraft): false | undefined | void | Promise<false | undefined | void>;
  /** Recorder thread, after the record is in the database. */
  onRecorded?(draft: Readonly<RecordDraft>): void | Promise<void>;
  /**
   * Endpoints of the API that this plugin answers, in the gateway's thread. Which there are is asked when the service
   * starts; a plugin that was reloaded answers at once.
   */
  readonly routes?: readonly PluginRoute[];
  /**
   * What this plugin counts, by names such as `spans_dropped`: shown in `/metrics` for the thread that it is asked in. Counts
   * go up only; it is asked whenever somebody reads the metrics.
   */
  counters?(): Readonly<Record<string, number>>;
  /** Called once when the plugin is unloaded. */
  dispose?(): void | Promise<void>;
}

/** One endpoint of the API, answered in the API's envelope. */
export interface PluginRoute {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below `/v1/`, with `:name` for a segment that varies, such as `/v1/domains/:domain/verify`. */
  readonly path: string;
  /** What the caller's key needs; `admin` implies the others. */
  readonly scope: "read" | "write" | "admin";
  readonly summary: string;
  /** JSON Schema of the body; without it the route takes none. */
  readonly body?: Json;
  /** Throwing answers 500. It has 10 s. */
  handle(call: RouteCall): RouteAnswer | Promise<RouteAnswer>;
}

export interface RouteCall {
  /** The segments that vary, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** JSON that fits the route's schema. */
  readonly body: Json;
  readonly caller: RouteCaller;
}

export interface RouteCaller {
  /** Undefined for the command line on the machine itself. */
  readonly organizationId: string | undefined;
  /** Name of the key, or "command line". */
  readonly name: string;
  readonly admin: boolean;
  /** Whether the caller belongs to the organization that runs the deployment, which was made first. */
  readonly operator: boolean;
}

/** `path` names the member of the body that is wrong. */
export type RouteAnswer =
  | { readonly data: Json }
  | { readonly status: number; readonly message: string; readonly path?: string };

/**
 * Settled facts of a plugin: few, precious, and the same for every process on the database. Kept in memory; a change by
 * another process, the command line for example, shows within half a second.
 */
export interface PluginStore {
  entries(): ReadonlyMap<string, Json>;
  /** Resolves when it is in the database; `entries` shows it then. @throws where the database cannot be written. */
  put(key: string, value: Json): Promise<void>;
  remove(key: string): Promise<void>;
  /** Called after `entries` has changed, whoever changed it. */
  onChange(listener: () => void): void;
}

/**
 * What a plugin counts, on this machine only: a list of JSON values in a file. What was appended is in the page cache
 * at the end of the turn, before an answer to the request that caused it, and so outlives a killed process.
 */
export interface PluginJournal {
  /** Everything from before, oldest first. A torn last line is left out. */
  read(): Json[];
  append(entry: Json): void;
  /** From time to time the file is written anew with what `snapshot` gives in place of all that was appended. */
  onCompact(snapshot: () => Iterable<Json>): void;
}

/** What a finished exchange used; null where it is not known. */
export interface RequestUsage {
  readonly requestId: string;
  /** US dollars. */
  readonly cost: number | null;
  readonly totalTokens: number | null;
}

export interface ShareLimit {
  readonly quota: number;
  readonly windowMs: number;
}

/** What this node has counted of a limit in its window, and what one more request is likely to count. */
export interface ShareState {
  readonly used: number;
  readonly likely: number;
}

/** This node's share of a limit that several nodes keep together. */
export interface PluginShare {
  /** How much this node may have counted in the window at present. Asked once per request: it tells the demand. */
  allowed(): number;
  /** What the other nodes may have counted, as far as is known. */
  others(): number;
  /** Whether asking may bring more: not while the database is away, and not right after the others had all. */
  mayGrow(): boolean;
  /** Asks for more. Resolves within a second; then `allowed` says what came of it. */
  ask(): Promise<void>;
  set(limit: ShareLimit): void;
  release(): void;
}

export interface PluginShares {
  /**
   * Opens a share, with nothing in it.
   *
   * @param key - the same on every node.
   * @param state - asked whenever the share is settled with the other nodes.
   */
  open(key: string, limit: ShareLimit, state: () => ShareState): PluginShare;
}

/** What the gateway's thread lends to a plugin. */
export interface GatewayAccess {
  /** Only where several nodes may share a database: what is counted is then divided among them. */
  readonly shares?: PluginShares;
  readonly store: PluginStore;
  readonly journal: PluginJournal;
  /** Whose a service key is, also one that has expired or was revoked; undefined where no key has this id. */
  organizationOfKey(keyId: string): string | undefined;
  /** Host patterns of all loaded providers, and the hosts of their targets. */
  providerHosts(): readonly string[];
  /**
   * What is recorded of exchanges that have ended; resolves once the recorder has seen all that ended before the call,
   * usually within 50 ms. An id that is missing from the answer has no finished record.
   */
  usageOf(requestIds: readonly string[]): Promise<readonly RequestUsage[]>;
  /** Whether `allow_private_targets` opens a host, at whichever port. @param host - lower case, without port. */
  opensPrivateTarget(host: string): boolean;
  /** Replaces what this plugin opens beside `allow_private_targets`, in the same form: names, addresses, CIDR blocks. */
  openPrivateTargets(entries: readonly string[]): void;
}

export interface PluginContext {
  readonly options: Json;
  readonly log: PluginLog;
  /** Only where the hooks of the gateway's thread are called; the recorder's thread sets plugins up without it. */
  readonly gateway?: GatewayAccess;
}

/** A plugin: state lives inside `setup` only. */
export interface GatewayPlugin {
  readonly apiVersion: 1;
  readonly name: string;
  /** JSON Schema of its `[plugins.<name>]` table in `weir.toml`. */
  readonly optionsSchema?: Json;
  setup(context: PluginContext): PluginHooks | Promise<PluginHooks>;
}
