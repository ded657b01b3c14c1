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
  /** Other spellings that `Gateway-Target-Provider` may use, lower case. */
  readonly aliases?: readonly string[];
  /** Host names of its targets, `*.` standing for one or more leading labels. They are approved from the start. */
  readonly hosts?: readonly string[];
  /** Origin that its own gateway address forwards to. */
  readonly target?: string;
  /** First label of its own gateway address. */
  readonly dedicatedDomain?: string;
  /** Another provider, by name: what this one leaves out is read as that one reads it. */
  readonly extends?: string;
  /** Tried in order; the first whose path fits is used, and where several do, the first whose bodies fit, else the last. */
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

/** A request as plugins see it: no credential, no body. */
export interface GatewayRequest {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly target: { readonly origin: string; readonly host: string };
  readonly provider: string;
  readonly headers: Headers;
  readonly organizationId: string;
  readonly userId: string | undefined;
  readonly properties: Readonly<Record<string, string>>;
  /** Its answer is stored, or shared with an identical request in flight: no provider is called, no limit is spent. */
  readonly cached: boolean;
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
}

export interface PluginHooks {
  /** Gateway thread, before the target is called. Nothing returned means: go on. Throwing or 250 ms: 500 `plugin_failed`. */
  onRequest?(request: GatewayRequest): Refusal | undefined | void | Promise<Refusal | undefined | void>;
  /** Recorder thread, before the record is stored. `false` drops the record. */
  onRecord?(draft: RecordDraft): false | undefined | void | Promise<false | undefined | void>;
  /** Recorder thread, after the record is in the database. */
  onRecorded?(draft: Readonly<RecordDraft>): void | Promise<void>;
  /** Called once when the plugin is unloaded. */
  dispose?(): void | Promise<void>;
}

/** A plugin: state lives inside `setup` only. */
export interface GatewayPlugin {
  readonly apiVersion: 1;
  readonly name: string;
  /** JSON Schema of its `[plugins.<name>]` table in `weir.toml`. */
  readonly optionsSchema?: Json;
  setup(context: { readonly options: Json; readonly log: PluginLog }): PluginHooks | Promise<PluginHooks>;
}
