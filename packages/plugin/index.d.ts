// Written by build/plugin-package.ts from src/plugin-host/contract/.
/** JSON from outside: read it with `?.` and expect any type. */
export type Json = any;

/**
 * Token counts of one exchange. A missing member means "not reported", which differs from 0.
 *
 * `prompt_tokens` is all input and `completion_tokens` all output: cached, audio and reasoning tokens are included.
 */
export interface Usage {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly total_tokens?: number;
  readonly prompt_cache_read_tokens?: number;
  /** All tokens written to a cache, for any lifetime. */
  readonly prompt_cache_write_tokens?: number;
  /** The part of `prompt_cache_write_tokens` that is kept for an hour, which costs more. */
  readonly prompt_cache_write_1h_tokens?: number;
  readonly prompt_audio_tokens?: number;
  readonly completion_audio_tokens?: number;
  readonly reasoning_tokens?: number;
}

/** The facts of an exchange besides its bodies. `headers` never hold credentials. */
export interface ExchangeView {
  readonly method: string;
  /** Path and query as sent, credentials masked. */
  readonly path: string;
  /** Host of the target, lower case, without port. */
  readonly host: string;
  readonly requestHeaders: Headers;
  /** The request body, if it is JSON. */
  readonly requestBody: Json;
  /** Status that the provider sent. */
  readonly status: number;
  readonly responseHeaders: Headers;
}

export interface RequestReading {
  readonly model?: string;
  readonly stream?: boolean;
  /** The end user that the body names. */
  readonly userId?: string;
}

/** The content of a provider's response. */
export interface Reading {
  /** The provider's own id of the response. */
  readonly id?: string;
  readonly model?: string;
  readonly usage?: Usage;
  /** The usage block as sent. */
  readonly usageRaw?: Json;
  /** US dollars, if the provider states the cost itself. */
  readonly cost?: number;
  /** Why the response ended, in the provider's own term; `finish_reason` of the record. */
  readonly finishReason?: string;
  /** A failure that the response reports, also inside a stream whose status was 200. */
  readonly error?: { readonly message: string; readonly type?: string };
}

/** The state of a stream while it is folded: `body` is the object that the provider would have sent without streaming. */
export interface StreamReading extends Reading {
  readonly body?: Json;
}

/** One event of a stream: SSE, a line of NDJSON, an element of a JSON array or a message of an AWS event stream. */
export interface StreamEvent {
  /** SSE `event:` or the event stream's `:event-type`. */
  readonly name?: string;
  /** The event's data if it is JSON, otherwise its text. */
  readonly data: Json;
}

/** A request for embeddings, read from OpenAI's format. */
export interface EmbeddingPrompt {
  readonly texts: readonly string[];
  readonly dimensions?: number;
  /** The purpose of the texts: `search_document`, `search_query`, `classification` or `clustering`. */
  readonly inputType?: string;
  /** Vectors are returned as base64 of little-endian 32-bit floats. */
  readonly base64: boolean;
  readonly losses: readonly Loss[];
}

/**
 * One API's format of embedding requests. Pure and synchronous, like a `Shape`; clients use only OpenAI's format.
 *
 * A caller reads the client's body with `readEmbeddings`, finds the target's format with `embeddingForm`, writes all calls
 * with `writeEmbeddingCalls`, makes them in any order, and joins the responses in the order of the calls with
 * `joinEmbeddings`.
 */
export interface EmbeddingForm {
  readonly name: string;
  /** The request body for `prompt.texts`; at most `textsMax` texts. */
  readonly textsMax: (model: string) => number;
  /** The body for `prompt.texts`, of which there are at most `textsMax`. */
  readonly writeRequest: (prompt: EmbeddingPrompt, model: string) => Json;
  /** The losses of a prompt, each with its path. */
  readonly losses?: (prompt: EmbeddingPrompt, model: string) => readonly Loss[];
  /** One vector per text, in the order of the texts; `undefined` if the body holds no vectors. */
  readonly readAnswer: (body: Json) => EmbeddingAnswer | undefined;
}

export interface EmbeddingAnswer {
  readonly vectors: readonly (readonly number[])[];
  readonly usage?: Usage;
}

/** Built-in shapes. */
export type ShapeName =
  | "chat-completions"
  | "responses"
  | "messages"
  | "completions"
  | "generate-content"
  | "converse"
  | "cohere-chat"
  | "ollama-chat"
  | "embeddings";

/** How a provider is called with a stored credential at the unified address. */
export interface Endpoints {
  /** Prefix of `/chat/completions` and the like; default `/v1`. A credential's `base_url` with a path replaces it. */
  readonly basePath?: string;
  /** Origin of a call if it depends on the credential, for example on its region; default `target`. */
  readonly origin?: (call: EndpointCall) => string;
  /**
   * Its APIs, in order of preference; never inherited by `extends`. If missing: `chat-completions` and `embeddings` for a
   * provider that extends OPENAI; otherwise none, and the provider is not reachable at the unified address.
   */
  readonly shapes?: readonly (ShapeName | ShapeAt)[];
  /** Headers of every call, in lower case. A client's header of the same name takes precedence. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How a call carries the credential; default `bearer`. */
  readonly auth?: Auth;
  /** The members of a credential; default one secret, `api_key`. */
  readonly credential?: CredentialForm;
  /** Facts about its models. Facts of several matching entries are merged; later entries win. */
  readonly models?: readonly (ModelEntry | ModelsOf)[];
  /** Address of its list of models. */
  readonly listModels?: ModelList;
}

/** One shape at a provider-specific path, or only for some of its models. */
export interface ShapeAt {
  readonly shape: ShapeName | Shape;
  /** Path of a call, below the origin; default the base path plus the shape's usual path. */
  readonly path?: (call: EndpointCall) => string;
  /** Whether it applies to this call; default always. */
  readonly serves?: (call: EndpointCall) => boolean;
  /** Path that counts the tokens of a request in this shape. */
  readonly countPath?: (call: EndpointCall) => string;
  /** Additional headers of its calls, in lower case. A client's header of the same name takes precedence. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Messages: whether conversations are stored for `thread`. Elsewhere a request that continues one is a 404. */
  readonly threads?: true;
  /** Messages: the values of `anthropic-beta` that it takes, with its own names; others are left out. Default all. */
  readonly betas?: Readonly<Record<string, string>>;
  readonly place?: Place;
}

/** Differences of a platform that carries another vendor's API. */
export interface Place {
  /** The model is in the path; the body has no `model`. */
  readonly modelInPath?: true;
  /** Value of the body's member `anthropic_version`; the header with that name is not sent. */
  readonly version?: string;
  /** The header `anthropic-beta` becomes the body's member `anthropic_beta`. */
  readonly betasInBody?: true;
  /** Streaming is chosen by the path; the body has no `stream`. */
  readonly streamInPath?: true;
  /** Images and files by address are refused: translated requests carry their bytes. */
  readonly bytesOnly?: true;
  /** Responses are not stored: a request with `previous_response_id` gets the turns before it in full. */
  readonly stateless?: true;
  /** Streams come as AWS event-stream frames with base64 `bytes` around the vendor's own events. */
  readonly frames?: "aws";
}

/** The inputs of a path or an origin. */
export interface EndpointCall {
  /** Name of the model at the provider. */
  readonly model: string;
  readonly stream: boolean;
  /** The credential's settings, defaults filled in. */
  readonly settings: Readonly<Record<string, string>>;
  /** The names of the credential's secret members. */
  readonly secrets: readonly string[];
}

/**
 * `bearer`: `Authorization: Bearer` with the secret `api_key`, if there is one. `x-api-key` or another `header`: the bare
 * key. `sigv4`: an AWS signature, or a bearer token. `google`: `x-goog-api-key`, or a token of the service account. `azure`:
 * `api-key`, or a token of the tenant. A function creates the headers from the secrets; it is synchronous and may take one
 * second.
 */
export type Auth =
  | "bearer"
  | "x-api-key"
  | "sigv4"
  | "google"
  | "azure"
  | "none"
  | { readonly header: string }
  | ((call: EndpointCall, secrets: Readonly<Record<string, string>>) => Readonly<Record<string, string>>);

/** The members of a provider's credential. */
export interface CredentialForm {
  /** Names of its secret members. */
  readonly secret: readonly string[];
  /**
   * Sets of secret members of which one must be complete; default the first secret. An empty set means that no secret is
   * required.
   */
  readonly oneOf?: readonly (readonly string[])[];
  /** Other members, each with the JSON Schema of a string. `default` fills in a missing member. */
  readonly settings?: Readonly<Record<string, Json>>;
  /** Required settings. */
  readonly required?: readonly string[];
  /** Whether `base_url` is required, because the provider has no address of its own. */
  readonly baseUrl?: "required";
}

/** Facts about the models whose name matches `match`, in which `*` matches any text. */
export interface ModelEntry extends ModelFacts {
  readonly match: string;
}

/** The entries of another provider, for a platform that carries its models. */
export interface ModelsOf {
  /** Name of the provider. */
  readonly of: string;
  /** The prefix of the models' names at this provider, for example `*anthropic.`. */
  readonly before?: string;
}

export interface ModelList {
  /** Below the origin and the base path; with `fromOrigin`, directly below the origin, or a credential's own path. */
  readonly path: string;
  readonly fromOrigin?: true;
  readonly read: (body: Json) => readonly string[];
}

/**
 * The places of values in bodies of an unknown format: JSON Pointers (RFC 6901), in which `*` matches every element of a
 * list. The mapper creates it for a model, and `GET /v1/models/<model>/mapping` shows it.
 */
export interface BodyMapping {
  readonly format: 1;
  /** At least one of `messages` and `prompt` is present. */
  readonly request: MappedRequest;
  /** For a complete response. `response` or `stream` must have `text` or `tool_calls`. */
  readonly response?: MappedResponse;
  /** For a stream: deltas from each event, everything else from the merged members of all events. */
  readonly stream?: MappedStream;
}

export interface MappedRequest {
  readonly model?: string;
  readonly messages?: MappedMessages;
  /** The prompt, or the newest message if `messages` holds the earlier ones. */
  readonly prompt?: string;
  /** Separate instructions. */
  readonly system?: string;
  readonly settings?: {
    readonly max_tokens?: string;
    readonly temperature?: string;
    readonly top_p?: string;
    readonly seed?: string;
    readonly stream?: string;
  };
  readonly tools?: {
    /** The list of tools; `*` matches each tool. */
    readonly list: string;
    /** Relative to the tool, like the paths below. */
    readonly name: string;
    readonly description?: string;
    readonly parameters?: string;
  };
}

export interface MappedMessages {
  /** The list of messages; `*` matches each message. */
  readonly list: string;
  /** Relative to the message, like the paths below; missing if user and assistant alternate. */
  readonly role?: string;
  /** A message is `{ "<role>": "<text>" }`. */
  readonly role_is_name?: boolean;
  readonly text?: string;
  /** Maps role names of the wire to user, assistant, system, developer or tool. */
  readonly roles?: Readonly<Record<string, string>>;
  readonly tool_calls?: MappedToolCalls;
}

export interface MappedToolCalls {
  readonly list: string;
  /** Relative to the call, like the paths below. */
  readonly name: string;
  readonly arguments?: string;
  readonly id?: string;
}

interface MappedReading {
  readonly model?: string;
  /** The provider's id of the response. */
  readonly id?: string;
  readonly usage?: {
    /** All input, or the part that no other count includes. */
    readonly prompt_tokens?: string;
    readonly completion_tokens?: string;
    readonly total_tokens?: string;
    readonly prompt_cache_read_tokens?: string;
    readonly reasoning_tokens?: string;
  };
  /** US dollars, as the provider states them. */
  readonly cost?: string;
  readonly tool_calls?: MappedToolCalls;
  readonly error?: { readonly message: string; readonly type?: string };
}

export interface MappedResponse extends MappedReading {
  /** Several matches are joined. */
  readonly text?: string;
  readonly reasoning?: string;
}

export interface MappedStream extends MappedReading {
  readonly text?: MappedDelta;
  readonly reasoning?: MappedDelta;
}

export interface MappedDelta {
  /** Relative to the event's data. */
  readonly path: string;
  /** `append`: pieces to join; `replace`: each event has the complete text so far. */
  readonly mode: "append" | "replace";
  /** Only in events with this SSE name. */
  readonly event?: string;
  /** Only if the event's data has this value. */
  readonly when?: { readonly path: string; readonly equals: string };
}

/** Wire formats that Weir can read; a provider maps its paths to them. */
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
  /** Regular expression for the path without its query string. */
  readonly path: RegExp;
  readonly schema: WireSchemaName;
}

/**
 * A provider: plain data and pure functions. It holds no state, because it is loaded in more than one thread.
 */
export interface ProviderPlugin extends Endpoints {
  readonly apiVersion: 1;
  /** Upper case; the value of `provider` in its records. */
  readonly name: string;
  /** Other names that `Gateway-Target-Provider` may use, lower case; `-`, `_`, `.` and spaces are ignored. */
  readonly aliases?: readonly string[];
  /** Host names of its targets; `*.` matches one or more leading labels. They are approved from the start. */
  readonly hosts?: readonly string[];
  /** Origin to which its own gateway address forwards. */
  readonly target?: string;
  /** First label of its own gateway address. */
  readonly dedicatedDomain?: string;
  /** Name of another provider, whose reading this one inherits. */
  readonly extends?: string;
  /**
   * Tried in order, before those of the extended provider. The first whose path matches is used; if several paths match, the
   * first whose bodies match, otherwise the last.
   */
  readonly wireSchemas?: readonly PathSchema[];
  /**
   * The mapping of the provider's own body format: used at every path that `wireSchemas` does not list, if the bodies match.
   * It takes precedence over guessed and learnt mappings.
   */
  readonly mapping?: BodyMapping;
  /** Additional credential headers and query parameters, lower case. Their values are never stored. */
  readonly mask?: { readonly headers?: readonly string[]; readonly query?: readonly string[] };
  /** Overrides the wire schema's reading of the request. */
  readonly readRequest?: (body: Json, exchange: ExchangeView) => RequestReading;
  /**
   * Overrides the wire schema's reading of a complete response; missing members stay as read. `usage` is one member: it is
   * replaced as a unit.
   */
  readonly readResponse?: (body: Json, exchange: ExchangeView) => Reading;
  /** Overrides the wire schema's reading of a stream: called once per event, in order. */
  readonly readEvent?: (reading: StreamReading, event: StreamEvent, exchange: ExchangeView) => StreamReading;
  /** US dollars for one exchange; null if the price is unknown. */
  readonly cost?: (usage: Usage, model: string, exchange: ExchangeView) => number | null;
}

/**
 * A request to a model, independent of any API: every shape can read requests into this form and write requests from it.
 *
 * `at` is the path of a part in the client's body, such as `messages[2].content[0]`: losses contain it. Prompts that differ
 * only in paths are equivalent.
 */
export interface Prompt {
  /** The model as the client wrote it; missing if it is in the path. */
  readonly model?: string;
  readonly stream: boolean;
  /** Every turn in order, system texts among them. */
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  readonly toolChoice?: ToolChoice;
  /** Descriptions of tool namespaces. */
  readonly namespaces?: Readonly<Record<string, string>>;
  readonly settings: Settings;
  readonly wants: Wants;
  /** The paths of the settings in the client's body. */
  readonly paths: Readonly<Partial<Record<SettingName | "toolChoice", string>>>;
  /** The shape of the client's body. */
  readonly shape: string;
  /** Members of the body unknown to other shapes. */
  readonly extra: Readonly<Record<string, Json>>;
  /** Unreadable parts. */
  readonly losses: readonly Loss[];
}

/**
 * A part of the client's request that the target does not receive.
 *
 * `dropped` and `approximated` are warnings; `refused` is a 400 `untranslatable` for this target; `invalid` is a 400
 * `invalid_body`, for every target.
 */
export interface Loss {
  readonly kind: "dropped" | "approximated" | "refused" | "invalid";
  /** Path in the client's body. */
  readonly path: string;
  /** One clause, such as `the model takes no images`. */
  readonly why?: string;
}

/** One turn. Results of calls are parts of a user's turn; calls and reasoning are parts of an assistant's turn. */
export interface Message {
  readonly role: "system" | "user" | "assistant";
  readonly parts: readonly Part[];
  /** Name of the participant. */
  readonly name?: string;
  readonly at?: string;
}

export type Part =
  | TextPart
  | RefusalPart
  | ImagePart
  | FilePart
  | AudioPart
  | CallPart
  | ResultPart
  | ReasoningPart
  | HostedPart;

interface Placed {
  readonly at?: string;
  /** The prompt up to and including this part should be cached. */
  readonly cache?: CacheMark;
}

export interface CacheMark {
  /** As the client wrote it, for example `1h`. */
  readonly ttl?: string;
}

export interface TextPart extends Placed {
  readonly type: "text";
  readonly text: string;
  /** Sources of the text; in responses only. */
  readonly citations?: readonly Citation[];
}

export interface Citation {
  readonly url?: string;
  readonly title?: string;
  readonly quote?: string;
  /** The range of the part's own text that the citation covers. */
  readonly start?: number;
  readonly end?: number;
}

export interface RefusalPart extends Placed {
  readonly type: "refusal";
  readonly text: string;
}

/** The content of a part: base64 bytes, an address, a provider's own file, or plain text. */
export type Source =
  | { readonly bytes: string; readonly mediaType: string }
  | { readonly url: string }
  | { readonly fileId: string }
  | { readonly text: string; readonly mediaType: string };

export interface ImagePart extends Placed {
  readonly type: "image";
  readonly source: Source;
  /** `low`, `high`, `auto` or `original`. */
  readonly detail?: string;
}

/** A PDF, a text or another document. */
export interface FilePart extends Placed {
  readonly type: "file";
  readonly source: Source;
  readonly name?: string;
}

export interface AudioPart extends Placed {
  readonly type: "audio";
  readonly source: Source;
}

export interface CallPart extends Placed {
  readonly type: "call";
  readonly id: string;
  readonly name: string;
  readonly namespace?: string;
  /** JSON text of an object; for a custom tool, the raw text. */
  readonly arguments: string;
  readonly custom?: true;
  readonly state?: State;
}

export interface ResultPart extends Placed {
  readonly type: "result";
  /** Id of the call. */
  readonly id: string;
  /** Name of the tool, if the API sends it. */
  readonly name?: string;
  readonly parts: readonly Part[];
  readonly error?: true;
  readonly custom?: true;
}

export interface ReasoningPart extends Placed {
  readonly type: "reasoning";
  readonly text: string;
  readonly state?: State;
}

/** Opaque data with which a provider's model continues its reasoning. It is returned unchanged, and only to its issuer. */
export interface State {
  /** The model's vendor, such as `anthropic`; for encrypted parts with the credential, `openai:<credential>`. */
  readonly issuer: string;
  /** A signature of the adjacent text, content instead of text, or content that replaces redacted text. */
  readonly kind: "signature" | "encrypted" | "redacted";
  readonly value: string;
  /** The provider's own id of the piece. */
  readonly id?: string;
  /** Belongs to the following call, for APIs that have no place for it on the call itself. */
  readonly of?: "call";
}

/** A call of a tool that the provider runs, or its result, in the API's format. */
export interface HostedPart extends Placed {
  readonly type: "hosted";
  /** Name of the shape that can read `item`. */
  readonly shape: string;
  readonly item: Json;
  /** The text that a model of another shape gets instead. */
  readonly text?: string;
  /** Tools that it adds for the turns after it; for another shape they are tools of the request. */
  readonly tools?: readonly Tool[];
  /** Names of tools that it takes away, and of those that it brings back. */
  readonly removed?: readonly string[];
  readonly restored?: readonly string[];
}

export type Tool = FunctionTool | CustomTool | SearchTool | HostedTool;

export interface FunctionTool extends Placed {
  readonly type: "function";
  readonly name: string;
  readonly namespace?: string;
  readonly description?: string;
  /** JSON Schema of the arguments. */
  readonly parameters?: Json;
  readonly strict?: boolean;
  /** Members unknown to other shapes, as in `Prompt`; present only for the shape of the client's body. */
  readonly extra?: Readonly<Record<string, Json>>;
}

/** A tool whose input is free text. */
export interface CustomTool extends Placed {
  readonly type: "custom";
  readonly name: string;
  readonly namespace?: string;
  readonly description?: string;
  /** `{ type: "text" }` or `{ type: "grammar", syntax, definition }`. */
  readonly format?: Json;
}

/** Web search by the provider. */
export interface SearchTool extends Placed {
  readonly type: "search";
  /** `low`, `medium` or `high`. */
  readonly contextSize?: string;
  /** `{ city, region, country, timezone }`. */
  readonly location?: Json;
  readonly allowedDomains?: readonly string[];
  readonly blockedDomains?: readonly string[];
  readonly maxUses?: number;
}

/** Another tool that the provider runs or defines, in the API's format. */
export interface HostedTool extends Placed {
  readonly type: "hosted";
  readonly shape: string;
  readonly name: string;
  readonly item: Json;
}

export interface ToolChoice {
  /** `any`: at least one tool; `one`: the named tool. */
  readonly mode: "auto" | "none" | "any" | "one";
  readonly name?: string;
  readonly namespace?: string;
  /** Only these tools may be called. */
  readonly allowed?: readonly string[];
}

export type Effort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

/** The reasoning settings; at least one member is present. */
export interface Thinking {
  readonly effort?: Effort;
  readonly budgetTokens?: number;
  /** The model decides how much it thinks. */
  readonly adaptive?: true;
  /** How to summarize its reasoning: `auto`, `concise` or `detailed`. */
  readonly summary?: string;
}

export type Format =
  | { readonly type: "text" }
  | { readonly type: "json" }
  | {
      readonly type: "schema";
      readonly schema: Json;
      readonly name?: string;
      readonly description?: string;
      readonly strict?: boolean;
    };

/** The settings of a request. A missing member was not sent. Members of type `Json` are in the API's format. */
export interface Settings {
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly stop?: readonly string[];
  readonly seed?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly logitBias?: Json;
  readonly n?: number;
  readonly logprobs?: boolean;
  readonly topLogprobs?: number;
  readonly format?: Format;
  readonly thinking?: Thinking;
  readonly verbosity?: string;
  /** False: one call at a time. */
  readonly parallelCalls?: boolean;
  /** The end user. */
  readonly user?: string;
  readonly cacheKey?: string;
  readonly metadata?: Json;
  readonly store?: boolean;
  readonly serviceTier?: string;
  readonly prediction?: Json;
  readonly truncation?: Json;
  readonly include?: readonly string[];
  readonly modalities?: readonly string[];
  readonly audio?: Json;
  readonly conversation?: Json;
  readonly background?: boolean;
  readonly storedPrompt?: Json;
  readonly previousResponse?: string;
}

export type SettingName = keyof Settings;

/** How the client wants the response written; only the writer of the client's own shape reads it. */
export interface Wants {
  /** A chat stream ends with a usage chunk. */
  readonly usage?: boolean;
  /** Reasoning is shown as text. */
  readonly reasoning?: boolean;
  /** The state of reasoning is returned. */
  readonly state?: boolean;
  /** The model requires its reasoning before its calls back, although it has no state: Weir remembers it. */
  readonly thoughts?: boolean;
  /** Calls are returned as `function_call`. */
  readonly legacyFunctions?: boolean;
}

/** A model's response, independent of any API. */
export interface Answer {
  /** The provider's own id. */
  readonly id?: string;
  readonly model?: string;
  /** One, unless the client asked for several. */
  readonly choices: readonly Choice[];
  /** Totals, as everywhere in Weir: cached and reasoning tokens are parts of the input and output counts. */
  readonly usage?: Usage;
}

export interface Choice {
  readonly parts: readonly Part[];
  readonly finish: Finish;
  /** The stop text that ended the response. */
  readonly stopText?: string;
  /** `{ content: [{ token, logprob, bytes, top_logprobs }] }`. */
  readonly logprobs?: Json;
}

/** Why a response ended. `malformed`: the provider could not read its own model's call. */
export type Finish = "end" | "stop" | "calls" | "length" | "context" | "filter" | "pause" | "malformed";

/**
 * One step of a streamed response. `part` identifies the parts of a response; parts may overlap as a provider sends them,
 * but are sequential when a shape writes them: all pieces of a part, then its `close`. Only a `citation` may follow the `close`
 * of its text. `choice` counts the choices of a response; missing means the first.
 */
export type Piece =
  | { readonly type: "start"; readonly id?: string; readonly model?: string; readonly usage?: Usage }
  | ({ readonly type: "text"; readonly text: string } & Of)
  | ({ readonly type: "refusal"; readonly text: string } & Of)
  | ({ readonly type: "citation"; readonly citation: Citation } & Of)
  | ({ readonly type: "reasoning"; readonly text: string } & Of)
  /** State of the reasoning or call that the part is; it follows the part's text. */
  | ({ readonly type: "state"; readonly state: State } & Of)
  /** Begins a call; its `arguments` are empty. */
  | ({ readonly type: "call"; readonly call: CallPart } & Of)
  | ({ readonly type: "arguments"; readonly text: string } & Of)
  | ({ readonly type: "image"; readonly image: ImagePart } & Of)
  | ({ readonly type: "hosted"; readonly hosted: HostedPart } & Of)
  | ({ readonly type: "close" } & Of)
  | { readonly type: "logprobs"; readonly logprobs: Json; readonly choice?: number }
  | { readonly type: "finish"; readonly finish: Finish; readonly stopText?: string; readonly choice?: number }
  /** A later `usage` piece replaces the members of an earlier one. */
  | { readonly type: "usage"; readonly usage: Usage }
  | { readonly type: "error"; readonly error: ApiError }
  /** Nothing follows. */
  | { readonly type: "end" };

interface Of {
  readonly part: number;
  readonly choice?: number;
}

/** A failure, independent of any API. */
export interface ApiError {
  /** HTTP status, or the closest one for a failure inside a stream. */
  readonly status: number;
  readonly message: string;
  readonly type?: string;
  readonly code?: string;
  /** Path of the invalid member. */
  readonly param?: string;
  readonly requestId?: string;
  /** The provider's own message. */
  readonly upstream?: { readonly provider: string; readonly status: number; readonly body: Json };
}

/**
 * One API's format of requests, responses, streams and errors. Pure and synchronous; never throws, whatever the JSON.
 *
 * Shapes are independent of each other: a request becomes a `Prompt`, and every shape writes prompts. A shape without the
 * members of the second half serves providers only, not clients.
 *
 * `state` starts as an empty object; the shape owns it until the stream ends.
 */
export interface Shape {
  /** Lower case with dashes. */
  readonly name: string;
  /** What it supports, by part of a prompt; a missing entry means full support. */
  readonly takes?: Takes;
  readonly limits?: Limits;

  /** The body for a provider. The prompt is already fitted to `takes`, `limits` and the model's facts. */
  readonly writeRequest: (prompt: Prompt, call: Call) => WrittenRequest;
  readonly readAnswer: (body: Json) => Answer;
  readonly readEvent: (state: Json, event: StreamEvent) => readonly Piece[];
  readonly readError: (status: number, body: Json) => ApiError;

  /**
   * Matches the end of the paths at which clients call it, without the query. Only POST; built-in endpoints have precedence.
   * A shape has this member and the next four, or none of them.
   */
  readonly endpoint?: RegExp;
  /** The body is a JSON object. An error that it throws goes to the client as a 400 `invalid_body`. */
  readonly readRequest?: (body: Json) => Prompt;
  readonly writeAnswer?: (answer: Answer, reply: Reply) => Json;
  /** Writes each piece as soon as it arrives. */
  readonly writeEvents?: (state: Json, piece: Piece, reply: Reply) => readonly SentEvent[];
  readonly writeError?: (error: ApiError) => Json;
  /** Maps a status to one that clients of this API know. */
  readonly writeStatus?: (status: number) => number;
  /** The response to a token-counting request. */
  readonly writeCount?: (tokens: number) => Json;
  /** The keep-alive sent in a stream after 15 s of silence. */
  readonly keepAlive?: (state: Json) => SentEvent;
}

/** What a shape needs to know about the call. */
export interface Call {
  /** Name of the model at the provider. */
  readonly model: string;
  readonly facts: ModelFacts;
  /** The issuer whose state may be sent: `anthropic` or, with the credential, `openai:<credential>`. */
  readonly issuer: string;
}

/** Facts about a model. A missing member is unknown. */
export interface ModelFacts {
  /** Context window: tokens of input and output together. */
  readonly context?: number;
  /** Maximum output tokens. */
  readonly maxOutput?: number;
  readonly input?: readonly ("text" | "image" | "file" | "audio")[];
  /** How its reasoning effort is set. */
  readonly reasoning?: "effort" | "budget" | "adaptive" | "level" | "none";
  /** Its efforts or levels, if it does not support all. */
  readonly efforts?: readonly Effort[];
  /** It cannot be switched to not thinking. */
  readonly mustThink?: boolean;
  /**
   * It thinks by default. In chat completions `thinking: {"type": "disabled"}` switches that off; the effort `none` is unknown
   * to it. It refuses a request that forces a tool while it thinks.
   */
  readonly thinkingSwitch?: boolean;
  /** It also thinks when a tool is forced. */
  readonly thinksWhenForced?: boolean;
  /** Members that it refuses, by their name at the provider. */
  readonly rejects?: readonly string[];
  /** Members that it refuses while it thinks. */
  readonly rejectsThinking?: readonly string[];
  /** `temperature` and `top_p` exclude each other. */
  readonly temperatureOrTopP?: boolean;
  readonly jsonSchema?: boolean;
  readonly strictTools?: boolean;
  readonly maxTokensName?: string;
  /** The chat-completions member for `seed`. */
  readonly seedName?: string;
  /** A last turn of the assistant, which the response continues, needs `prefix: true` in chat completions. */
  readonly prefixNeeded?: boolean;
  /** PDF are parts `document_url` of chat completions, not `file`. */
  readonly documentUrl?: boolean;
  /** Ids of calls are this many letters and digits. */
  readonly callIdLength?: number;
  readonly toolsNeedResponses?: boolean;
  /** System messages may occur mid-conversation. */
  readonly systemInPlace?: boolean;
  /** Calls in the history need a signature. */
  readonly needsSignatures?: boolean;
  /** The chat-completions member for the reasoning of earlier turns, for example `reasoning_content`. */
  readonly reasoningMember?: string;
  /** Model fields of Bedrock's converse by effort, defined by the provider. */
  readonly effortFields?: Readonly<Partial<Record<Effort, Json>>>;
}

export interface WrittenRequest {
  readonly body: Json;
  /** Losses specific to this shape, besides those that follow from `takes` and `limits`. */
  readonly losses?: readonly Loss[];
}

/** Metadata of a response to a client. */
export interface Reply {
  readonly id: string;
  /** The model's name in the response. */
  readonly model: string;
  /** Seconds since 1970. */
  readonly created: number;
  /** The client's request. */
  readonly prompt: Prompt;
}

/** One server-sent event. Text data is sent unchanged, everything else as JSON. */
export interface SentEvent {
  readonly event?: string;
  readonly data?: Json;
  readonly comment?: string;
}

/**
 * How a shape supports one part of a prompt.
 *
 * `=`: it has its own place. `-`: other means replace it without loss, or nothing is needed. `D`: dropped with a warning.
 * `A`: approximated with a warning. `F`: the address is fetched first. `R`: the request is refused.
 */
export type Take = "=" | "-" | "D" | "A" | "F" | "R";

/** Missing means `=`. */
export type Takes = Readonly<Partial<Record<SettingName | PartName, Take>>>;

/** Parts and forms of a prompt in which shapes differ. */
export type PartName =
  /** System texts after the first turn; `-`: as marked user text. */
  | "laterSystem"
  | "imageBytes"
  /** Resolution at which the model sees an image. */
  | "imageDetail"
  /** Name of a turn's participant. */
  | "participant"
  | "imageUrl"
  | "pdf"
  | "fileUrl"
  /** `-`: as message text. */
  | "textFile"
  | "fileId"
  | "audioIn"
  | "strict"
  /** `-`: as a function with one text parameter. */
  | "customTool"
  /** `-`: as a part of the name. */
  | "namespace"
  | "search"
  | "choiceNone"
  | "choiceAny"
  | "choiceOne"
  | "choiceSearch"
  /** `-`: the other tools are left out. */
  | "allowedTools"
  /** `-`: as text that begins `Error: `. */
  | "resultError"
  /** `-`: in a user turn after the results. */
  | "resultImages"
  | "resultFiles"
  | "cacheMarks"
  /** `A`: as a line of the system text. */
  | "jsonObject"
  /** The description of a response schema. */
  | "formatDescription"
  | "imageOut";

/** Limits of supported parts. */
export interface Limits {
  /** A complete tool name. */
  readonly toolName?: RegExp;
  /** A complete call id. */
  readonly callId?: RegExp;
  readonly stopTexts?: number;
  /** A stop text of only white space is refused. */
  readonly noBlankStop?: boolean;
  readonly temperatureMax?: number;
  /** Consecutive turns of one role are joined. */
  readonly turnsAlternate?: boolean;
  /** The first turn must be the user's: `always`, or only if the model's turn has calls. A text is inserted before it. */
  readonly userFirst?: "always" | "calls";
  /** Empty text is dropped, as is trailing white space of a final assistant text. */
  readonly noEmptyText?: boolean;
  /** A history with calls requires a tool in the request. */
  readonly callsNeedTools?: boolean;
  /** Results carry the name of their tool. */
  readonly resultNames?: boolean;
  readonly maxTokensRequired?: boolean;
  /** Lowest accepted token limit. */
  readonly maxTokensLeast?: number;
  /** The reasoning setting of models without facts. */
  readonly reasoning?: "effort" | "budget" | "adaptive" | "level" | "none";
  /** The API's efforts, for models without facts. */
  readonly efforts?: readonly Effort[];
  /** Thinking tokens by effort, if they are not a share of the token limit. */
  readonly budgets?: Readonly<Record<Effort, number>>;
  /** Thinking and a forced tool exclude each other, unless the model's facts say otherwise. */
  readonly noForcedThinking?: boolean;
  /** During tool calls, a model with a budget thinks only if the turn with the calls begins with a thought. */
  readonly thoughtsLead?: boolean;
  /** A search cannot be combined with functions. */
  readonly searchAlone?: boolean;
  /** The member or tool that requests a search. A model whose `rejects` names it has no search in this shape. */
  readonly searchMember?: string;
  /** Settings that cannot be combined with thinking. */
  readonly notWhileThinking?: readonly SettingName[];
  /** For a model without `jsonSchema`, the response is requested as the input of a tool. */
  readonly schemaTool?: boolean;
  /** If a model's `jsonSchema` is false, its response is requested as a JSON object, and the system text has the schema. */
  readonly schemaText?: boolean;
}

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

/**
 * A plugin's few important facts, shared by all processes on the database and kept in memory; a change by another process,
 * such as the command line, is visible within half a second.
 */
export interface PluginStore {
  entries(): ReadonlyMap<string, Json>;
  /** Resolves once the value is in the database and visible in `entries`. @throws if the database cannot be written. */
  put(key: string, value: Json): Promise<void>;
  remove(key: string): Promise<void>;
  /** Called after `entries` has changed, whatever the cause. */
  onChange(listener: () => void): void;
}

/**
 * A plugin's counts, on this machine only: a list of JSON values in a file. Appended values reach the page cache at the end
 * of the turn, before the response to the request that caused them, so they survive a kill.
 */
export interface PluginJournal {
  /** Everything written before, oldest first. A torn last line is skipped. */
  read(): Json[];
  append(entry: Json): void;
  /** From time to time the file is rewritten: the result of `snapshot` replaces all appended values. */
  onCompact(snapshot: () => Iterable<Json>): void;
}

/** The usage of a finished exchange; null if unknown. */
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

/** This node's count of a limit in its window, and the expected count of another request. */
export interface ShareState {
  readonly used: number;
  readonly likely: number;
}

/** This node's share of a limit shared by several nodes. */
export interface PluginShare {
  /** How much this node may currently count in the window. Called once per request; the calls measure the demand. */
  allowed(): number;
  /** How much the other nodes may have counted, as far as this node knows. */
  others(): number;
  /**
   * Whether a request could increase the share. False while the database is unreachable, and right after the other nodes
   * held everything.
   */
  mayGrow(): boolean;
  /** Requests a larger share. Resolves within a second; `allowed` then has the result. */
  ask(): Promise<void>;
  set(limit: ShareLimit): void;
  release(): void;
}

export interface PluginShares {
  /**
   * Opens an empty share.
   *
   * @param key - the same on every node.
   * @param state - called whenever this node negotiates the share with the other nodes.
   */
  open(key: string, limit: ShareLimit, state: () => ShareState): PluginShare;
}

/** Milliseconds since 1970: `start` inclusive, `end` exclusive. */
export interface CalendarPeriod {
  readonly start: number;
  readonly end: number;
}

/** The gateway thread's services for a plugin. */
export interface GatewayAccess {
  /** Present if several nodes may share a database: counts are then divided among them. */
  readonly shares?: PluginShares;
  readonly store: PluginStore;
  readonly journal: PluginJournal;
  /** The organization of a service key, including expired and revoked keys; undefined if no key has this id. */
  organizationOfKey(keyId: string): string | undefined;
  /** Host patterns of all loaded providers, and the hosts of their targets. */
  providerHosts(): readonly string[];
  /**
   * The recorded usage of finished exchanges; resolves once the recorder has seen all that ended before the call, usually
   * within 50 ms. An id that is missing from the result has no finished record.
   */
  usageOf(requestIds: readonly string[]): Promise<readonly RequestUsage[]>;
  /**
   * The day, week (from Monday) or month of a time, in a time zone. Takes about 100 µs: cache the result while it is valid.
   *
   * @throws RangeError if the time zone is unknown.
   */
  periodOf(calendar: "day" | "week" | "month", timeZone: string, time: number): CalendarPeriod;
  /** Whether `allow_private_targets` allows a host, on any port. @param host - lower case, without port. */
  opensPrivateTarget(host: string): boolean;
  /** Replaces this plugin's additions to `allow_private_targets`, in the same form: names, addresses, CIDR blocks. */
  openPrivateTargets(entries: readonly string[]): void;
}

export interface PluginLog {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** Usage under one policy of a credential's limit. */
export interface LimitUse {
  readonly unit: "request" | "cents" | "tokens";
  readonly quota: number;
  readonly windowSeconds: number;
  /** In the current window; calls in flight count once they are charged. */
  readonly used: number;
  /** When the policy will have room again, in milliseconds since 1970; null if it has room now. */
  readonly spentUntil: number | null;
}

type Verdict = Refusal | Admission | undefined | void;

export interface PluginHooks {
  /**
   * The parts of a request's body to read before `onRequest`: a list, or a function of the request if they depend on it
   * (gateway thread; if it fails, nothing is read). If no plugin needs a part, bodies are streamed.
   */
  readonly needs?: readonly BodyNeed[] | ((request: GatewayRequest) => readonly BodyNeed[]);
  /**
   * Gateway thread, for every request, before the cache and the target: decides whether the request is allowed. Returning
   * nothing allows it. If the hook throws or takes over 250 ms, the request fails with 500 `plugin_failed`.
   */
  onRequest?(request: GatewayRequest): Verdict | Promise<Verdict>;
  /**
   * Gateway thread, right before the target is called, but not for a cached response: count requests here. Returns and fails
   * like `onRequest`.
   */
  onForward?(request: GatewayRequest): Verdict | Promise<Verdict>;
  /**
   * Gateway thread, once for every request for which `onForward` was called, when its response has ended, also if this
   * plugin or another one refused the request. Undo counts here if the `outcome` is `refused` or the request was not
   * forwarded. At the unified address it is also called once per call, with the call's id and the id of the record that
   * holds its usage.
   */
  onEnd?(end: RequestEnd): void;
  /**
   * Gateway thread, once for every record, when the client has its response and the record is in the database: within a
   * second of the end. It cannot delay or change the response; its return value is added to the record. If it throws or
   * takes over 250 ms, nothing is added and the failure is counted.
   */
  onAnswer?(answer: GatewayAnswer): AnswerNote | undefined | void | Promise<AnswerNote | undefined | void>;
  /** Recorder thread, before the record is stored. `false` drops the record. */
  onRecord?(draft: RecordDraft): false | undefined | void | Promise<false | undefined | void>;
  /**
   * Recorder thread, once for every record, after it is in the database: the place for checks in code. It sees both bodies
   * in full and delays no request; its return value is added to the record. If it throws or takes over 250 ms, nothing is
   * added and the failure is counted.
   */
  onRecorded?(draft: Readonly<RecordDraft>): AnswerNote | undefined | void | Promise<AnswerNote | undefined | void>;
  /**
   * The plugin's API endpoints, in the gateway's thread. The list is read when the service starts; a reloaded plugin serves
   * them immediately.
   */
  readonly routes?: readonly PluginRoute[];
  /**
   * This plugin's counters, by names such as `spans_dropped`; `/metrics` shows them for each thread. Counts only increase;
   * called whenever the metrics are read.
   */
  counters?(): Readonly<Record<string, number>>;
  /**
   * Gateway thread: this plugin's counts of a credential's limit. The call itself counts nothing; it is made when a route is
   * explained or health is shown.
   */
  limitsOf?(credential: PayingCredential): readonly LimitUse[];
  /**
   * Gateway thread: whether the plugin allows every request of a kind as it is, until its `store` changes. If all plugins with a
   * hook for requests do, further gateway threads pass such requests on without a call of `onRequest`, `onForward` and `onEnd`.
   * Without this hook they call the plugin for each request.
   */
  admits?(kind: RequestKind): boolean;
  /** Gateway thread, within milliseconds: so many requests were passed on because of `admits`. */
  onAdmitted?(kind: RequestKind, requests: number): void;
  /** Called once when the plugin is unloaded. */
  dispose?(): void | Promise<void>;
}

/** One API endpoint; its response has the API's envelope. */
export interface PluginRoute {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below `/v1/`, with `:name` for a variable segment, such as `/v1/domains/:domain/verify`. */
  readonly path: string;
  /**
   * The scope that the caller's key needs; `admin` implies the others. `figures` is for data without request bodies, and
   * `read` implies it.
   */
  readonly scope: "figures" | "read" | "write" | "admin";
  readonly summary: string;
  /** JSON Schema of the body; without it the route accepts none. */
  readonly body?: Json;
  /** Handles one call within 10 s. If it throws, the response is a 500. */
  handle(call: RouteCall): RouteAnswer | Promise<RouteAnswer>;
}

export interface RouteCall {
  /** The variable segments, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** JSON that matches the route's schema. */
  readonly body: Json;
  readonly caller: RouteCaller;
}

export interface RouteCaller {
  /** Undefined for the command line on the same machine. */
  readonly organizationId: string | undefined;
  /** Name of the key, or "command line". */
  readonly name: string;
  readonly admin: boolean;
  /** Whether the caller belongs to the operator's organization, which is the first one. */
  readonly operator: boolean;
}

/** `path` names the wrong member of the body. */
export type RouteAnswer =
  | { readonly data: Json }
  | {
      readonly status: number;
      /** The code for programs, such as `not_found`; the default follows from the status. */
      readonly code?: string;
      readonly message: string;
      readonly path?: string;
    };

/** @typeParam Options - the type that `optionsSchema` describes. */
export interface PluginContext<Options = Json> {
  /** Its table `[plugins.<name>]`, validated, with the schema's defaults filled in. */
  readonly options: Options;
  readonly log: PluginLog;
  /** Only in the gateway's thread; in the recorder's thread it is undefined. */
  readonly gateway?: GatewayAccess;
}

/**
 * A plugin. All state lives inside `setup`. Life cycle:
 *
 * 1. The file is loaded in a throw-away thread, within 2 s; then in the gateway's and in the recorder's thread.
 * 2. `setup` runs once in each of the two, with `gateway` in the first one only, within 5 s. A failure at startup stops the
 *    service; after a reload, the previous version stays.
 * 3. For each request `needs` is evaluated, the body is read as needed, then `onRequest`, then the cache, then `onForward`:
 *    in the gateway's thread, built-in plugins first, then by file name. 250 ms each; a failure refuses the request (500
 *    `plugin_failed`), and the first refusal ends it. Recording has begun by then.
 * 4. When the response has ended, `onEnd` runs in the gateway's thread. A failure is counted.
 * 5. Within a second of the end, `onRecord` and, once that is committed, `onRecorded` run in the recorder's thread: both
 *    bodies are complete there, streams folded. 250 ms each; a failure leaves the record as it was before the hook. The
 *    return value of `onRecorded` is in the record within another second.
 * 6. Then `onAnswer` runs in the gateway's thread, where the state of `onRequest` is: it sees the response as recorded. Its
 *    limits and failures are those of `onEnd`; its return value is in the record within another second.
 * 7. A hook that blocks its thread three times in a row is switched off for a minute; `/readyz` reports it.
 * 8. When the file changes, the new version is set up first; then `dispose` of the old one runs, within 5 s. Options are
 *    read only at the start of the service.
 *
 * @typeParam Options - what `optionsSchema` allows, such as `GatewayPlugin<{ models: string[] }>`.
 */
export interface GatewayPlugin<Options = Json> {
  readonly apiVersion: 1;
  readonly name: string;
  /** JSON Schema of its `[plugins.<name>]` table in `weir.toml`. */
  readonly optionsSchema?: Json;
  /** End the hooks with `satisfies PluginHooks`, so that a misspelt one does not compile. */
  setup(context: PluginContext<Options>): PluginHooks | Promise<PluginHooks>;
}
