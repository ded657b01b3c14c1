// Written by build/plugin-package.ts from src/plugin-host/contract/.
/** JSON from outside: probe it with `?.` and expect anything. */
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
  /** Why the response ended, in the provider's word; `finish_reason` of the record. */
  readonly finishReason?: string;
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

/** A request for embeddings, read out of OpenAI's form. */
export interface EmbeddingPrompt {
  readonly texts: readonly string[];
  readonly dimensions?: number;
  /** What the texts are for: `search_document`, `search_query`, `classification` or `clustering`. */
  readonly inputType?: string;
  /** Vectors come back as base64 of little-endian 32-bit floats. */
  readonly base64: boolean;
  readonly losses: readonly Loss[];
}

/**
 * How one API says requests for embeddings. Pure and synchronous, as a `Shape` is; clients speak OpenAI's form alone.
 *
 * A caller reads the client's body with `readEmbeddings`, finds the target's form with `embeddingForm`, writes all calls
 * with `writeEmbeddingCalls`, makes them in any order, and joins the responses in the order of the calls with
 * `joinEmbeddings`.
 */
export interface EmbeddingForm {
  readonly name: string;
  /** Most texts of one call. */
  readonly textsMax: (model: string) => number;
  /** The body for `prompt.texts`, of which there are at most `textsMax`. */
  readonly writeRequest: (prompt: EmbeddingPrompt, model: string) => Json;
  /** What it cannot say of a prompt, each with its path. */
  readonly losses?: (prompt: EmbeddingPrompt, model: string) => readonly Loss[];
  /** One vector per text, in the order of the texts; `undefined` where the body has none. */
  readonly readAnswer: (body: Json) => EmbeddingAnswer | undefined;
}

export interface EmbeddingAnswer {
  readonly vectors: readonly (readonly number[])[];
  readonly usage?: Usage;
}

/** Shapes that Weir has by itself. */
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

/** How a provider is called with a stored credential, at the unified address. */
export interface Endpoints {
  /** Before `/chat/completions` and the like; default `/v1`. A credential's `base_url` with a path replaces it. */
  readonly basePath?: string;
  /** Origin of a call where it depends on the credential, such as its region; else `target`. */
  readonly origin?: (call: EndpointCall) => string;
  /**
   * What it speaks, in order of preference; never taken over by `extends`. Missing: `chat-completions` and `embeddings`
   * where it extends OPENAI, else nothing, and then it is not reachable at the unified address.
   */
  readonly shapes?: readonly (ShapeName | ShapeAt)[];
  /** Headers of every call, where the client sent none of that name. Lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How a call carries the credential; default `bearer`. */
  readonly auth?: Auth;
  /** What a credential is made of; default the one secret `api_key`. */
  readonly credential?: CredentialForm;
  /** Facts of its models. Those of several matching entries are merged, later ones first. */
  readonly models?: readonly (ModelEntry | ModelsOf)[];
  /** Where it lists its models. */
  readonly listModels?: ModelList;
}

/** One shape at a path of the provider's own, or for some of its models alone. */
export interface ShapeAt {
  readonly shape: ShapeName | Shape;
  /** Path of a call, below the origin; default the base path and what is usual for the shape. */
  readonly path?: (call: EndpointCall) => string;
  /** Whether it is spoken for this call; default always. */
  readonly serves?: (call: EndpointCall) => boolean;
  /** Path at which it counts the tokens of a request in this shape. */
  readonly countPath?: (call: EndpointCall) => string;
  /** Headers of its calls beside the provider's, where the client sent none of that name. Lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly place?: Place;
}

/** What a platform that carries another maker's API asks for instead. */
export interface Place {
  /** The body has no `model`: it stands in the path. */
  readonly modelInPath?: true;
  /** Value of the body's member `anthropic_version`; the header of that name is not sent. */
  readonly version?: string;
  /** The header `anthropic-beta` becomes the body's member `anthropic_beta`. */
  readonly betasInBody?: true;
  /** The body has no `stream`: it stands in the path. */
  readonly streamInPath?: true;
  /** Streams come as AWS event-stream frames with base64 `bytes` around the maker's own events. */
  readonly frames?: "aws";
}

/** What a path or an origin may depend on. */
export interface EndpointCall {
  /** Name of the model at the provider. */
  readonly model: string;
  readonly stream: boolean;
  /** The credential's settings, defaults filled in. */
  readonly settings: Readonly<Record<string, string>>;
  /** Which secret members the credential has. */
  readonly secrets: readonly string[];
}

/**
 * `bearer`: `Authorization: Bearer` and the secret `api_key`, if there is one. `x-api-key`, or another `header`: the key by
 * itself. `sigv4`: signed for AWS, or the bearer. `google`: `x-goog-api-key`, or a token of the service account. `azure`:
 * `api-key`, or a token of the tenant. A function makes the headers from the secrets; it is synchronous and has a second.
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

/** What a credential of a provider is made of. */
export interface CredentialForm {
  /** Names of its secret members. */
  readonly secret: readonly string[];
  /** Sets of secret members of which one has to be there whole; default the first secret alone. An empty set: none needed. */
  readonly oneOf?: readonly (readonly string[])[];
  /** Other members, each with JSON Schema of a text. `default` fills in what is missing. */
  readonly settings?: Readonly<Record<string, Json>>;
  /** Settings that have to be there. */
  readonly required?: readonly string[];
  /** Whether `base_url` has to be there: the provider has no address of its own. */
  readonly baseUrl?: "required";
}

/** What is known of models whose name fits `match`, in which `*` stands for any text. */
export interface ModelEntry extends ModelFacts {
  readonly match: string;
}

/** The entries of another provider, for a platform that carries its models. */
export interface ModelsOf {
  /** Name of the provider. */
  readonly of: string;
  /** What stands before the models' names here, such as `*anthropic.`. */
  readonly before?: string;
}

export interface ModelList {
  /** Below the origin and the base path; with `origin: true` below the origin alone. */
  readonly path: string;
  readonly fromOrigin?: true;
  readonly read: (body: Json) => readonly string[];
}

/**
 * Where things sit in bodies of a format that Weir does not know: JSON Pointers (RFC 6901), in which `*` stands for every
 * element of a list. It is what the mapper finds for a model, and what `GET /v1/models/<model>/mapping` shows.
 */
export interface BodyMapping {
  readonly format: 1;
  /** At least `messages` or `prompt`. */
  readonly request: MappedRequest;
  /** Of a whole response. At least here or in `stream` the `text`, or `tool_calls`. */
  readonly response?: MappedResponse;
  /** Of a stream: deltas from each event, all else from the members of all events together. */
  readonly stream?: MappedStream;
}

export interface MappedRequest {
  readonly model?: string;
  readonly messages?: MappedMessages;
  /** The prompt, or the newest message where `messages` holds what came before. */
  readonly prompt?: string;
  /** Instructions that stand apart. */
  readonly system?: string;
  readonly settings?: {
    readonly max_tokens?: string;
    readonly temperature?: string;
    readonly top_p?: string;
    readonly seed?: string;
    readonly stream?: string;
  };
  readonly tools?: {
    /** The tools, with `*` for each of them. */
    readonly list: string;
    /** These are from the tool. */
    readonly name: string;
    readonly description?: string;
    readonly parameters?: string;
  };
}

export interface MappedMessages {
  /** The messages, with `*` for each of them. */
  readonly list: string;
  /** From the message, as are the others; missing where users and the assistant take turns. */
  readonly role?: string;
  /** A message is `{ "<role>": "<text>" }`. */
  readonly role_is_name?: boolean;
  readonly text?: string;
  /** Role names of the wire to user, assistant, system, developer or tool. */
  readonly roles?: Readonly<Record<string, string>>;
  readonly tool_calls?: MappedToolCalls;
}

export interface MappedToolCalls {
  readonly list: string;
  /** These are from the call. */
  readonly name: string;
  readonly arguments?: string;
  readonly id?: string;
}

interface MappedReading {
  readonly model?: string;
  /** The provider's id of the response. */
  readonly id?: string;
  readonly usage?: {
    /** All input, or what of it is in no other part. */
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
  /** Several values are joined. */
  readonly text?: string;
  readonly reasoning?: string;
}

export interface MappedStream extends MappedReading {
  readonly text?: MappedDelta;
  readonly reasoning?: MappedDelta;
}

export interface MappedDelta {
  /** From the event's data. */
  readonly path: string;
  /** Pieces to be joined, or each time the whole so far. */
  readonly mode: "append" | "replace";
  /** Only in events of this SSE name. */
  readonly event?: string;
  /** Only where the event's data has this. */
  readonly when?: { readonly path: string; readonly equals: string };
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
export interface ProviderPlugin extends Endpoints {
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
  /**
   * How bodies of a format of its own are read, at every path that `wireSchemas` does not name and where the bodies fit. It
   * goes before what is guessed and before what the mapper has learnt.
   */
  readonly mapping?: BodyMapping;
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

/**
 * A request to a model in no API's words: what every shape reads requests into and writes requests from.
 *
 * `at` is the path of a part in the client's body, such as `messages[2].content[0]`: losses name it. Two prompts that differ
 * in paths alone ask for the same thing.
 */
export interface Prompt {
  /** The model as the client wrote it; missing where it stands in the path. */
  readonly model?: string;
  readonly stream: boolean;
  /** Every turn in order, system texts among them. */
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  readonly toolChoice?: ToolChoice;
  /** Descriptions of the namespaces of tools. */
  readonly namespaces?: Readonly<Record<string, string>>;
  readonly settings: Settings;
  readonly wants: Wants;
  /** Where the settings stand in the client's body. */
  readonly paths: Readonly<Partial<Record<SettingName | "toolChoice", string>>>;
  /** The shape that the body had. */
  readonly shape: string;
  /** Members of the body that no other shape knows. */
  readonly extra: Readonly<Record<string, Json>>;
  /** What could not be read. */
  readonly losses: readonly Loss[];
}

/**
 * Something of the client's request that a target does not get.
 *
 * `dropped` and `approximated` become warnings; `refused` is a 400 `untranslatable` for this target; `invalid` is a 400
 * `invalid_body`, whatever the target.
 */
export interface Loss {
  readonly kind: "dropped" | "approximated" | "refused" | "invalid";
  /** Path in the client's body. */
  readonly path: string;
  /** One clause, such as `the model takes no images`. */
  readonly why?: string;
}

/** One turn. Results of calls are parts of a user's turn; calls and reasoning are parts of the assistant's. */
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
  /** The prompt up to and with this part is to be cached. */
  readonly cache?: CacheMark;
}

export interface CacheMark {
  /** As the client wrote it, such as `1h`. */
  readonly ttl?: string;
}

export interface TextPart extends Placed {
  readonly type: "text";
  readonly text: string;
  /** Sources of the text, in an answer. */
  readonly citations?: readonly Citation[];
}

export interface Citation {
  readonly url?: string;
  readonly title?: string;
  readonly quote?: string;
  /** Characters of the text that it is for. */
  readonly start?: number;
  readonly end?: number;
}

export interface RefusalPart extends Placed {
  readonly type: "refusal";
  readonly text: string;
}

/** Where the content of a part is: base64 bytes, an address, a provider's own file, or plain text. */
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
  /** JSON text of an object; of a custom tool the raw text. */
  readonly arguments: string;
  readonly custom?: true;
  readonly state?: State;
}

export interface ResultPart extends Placed {
  readonly type: "result";
  /** Id of the call. */
  readonly id: string;
  /** Name of the tool, where the API says it. */
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

/**
 * What a provider hands out so that its model can go on thinking where it stopped. It goes back to its issuer as it came
 * and to no one else.
 */
export interface State {
  /** Maker of the model, such as `anthropic`; of encrypted parts with the credential, `openai:<credential>`. */
  readonly issuer: string;
  /** A signature of the text beside it, content in place of text, or content that replaces a text that was withheld. */
  readonly kind: "signature" | "encrypted" | "redacted";
  readonly value: string;
  /** The provider's own id of the piece. */
  readonly id?: string;
  /** It belongs to the call that follows, where an API has no place on the call itself. */
  readonly of?: "call";
}

/** A call of a tool that the provider runs itself, or its result, as the API wrote it. */
export interface HostedPart extends Placed {
  readonly type: "hosted";
  /** Name of the shape that can read `item`. */
  readonly shape: string;
  readonly item: Json;
  /** What it says to a model, for the other shapes. */
  readonly text?: string;
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

/** Another tool that the provider runs or knows by itself, as the API wrote it. */
export interface HostedTool extends Placed {
  readonly type: "hosted";
  readonly shape: string;
  readonly name: string;
  readonly item: Json;
}

export interface ToolChoice {
  /** `any`: some tool; `one`: the tool of that name. */
  readonly mode: "auto" | "none" | "any" | "one";
  readonly name?: string;
  readonly namespace?: string;
  /** Only these may be called. */
  readonly allowed?: readonly string[];
}

export type Effort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

/** How much the model is to think; at least one member is there. */
export interface Thinking {
  readonly effort?: Effort;
  readonly budgetTokens?: number;
  /** The model decides. */
  readonly adaptive?: true;
  /** How its thoughts are to be summed up: `auto`, `concise` or `detailed`. */
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

/** What a request may set. A missing member is one that the client did not send. Members typed `Json` are as the API has them. */
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

/** How the client wants the answer written; only the writer of its own shape reads it. */
export interface Wants {
  /** A chat stream ends with a chunk of usage. */
  readonly usage?: boolean;
  /** Reasoning is shown as text. */
  readonly reasoning?: boolean;
  /** Reasoning's state is handed out. */
  readonly state?: boolean;
  /** Calls come back as `function_call`. */
  readonly legacyFunctions?: boolean;
}

/** A model's answer in no API's words. */
export interface Answer {
  /** The provider's own id. */
  readonly id?: string;
  readonly model?: string;
  /** One, unless the client asked for several. */
  readonly choices: readonly Choice[];
  /** All input and all output, as everywhere in Weir: caches and reasoning are parts of them. */
  readonly usage?: Usage;
}

export interface Choice {
  readonly parts: readonly Part[];
  readonly finish: Finish;
  /** The stop text that ended it. */
  readonly stopText?: string;
  /** `{ content: [{ token, logprob, bytes, top_logprobs }] }`. */
  readonly logprobs?: Json;
}

/** Why an answer ended. `malformed`: the provider could not read its own model's call. */
export type Finish = "end" | "stop" | "calls" | "length" | "context" | "filter" | "pause" | "malformed";

/**
 * One step of an answer that comes in pieces. `part` tells the parts of an answer apart; parts may overlap as a provider
 * sends them, and have been put one after the other when a shape writes them: all pieces of a part, then its `close`.
 * `choice` counts the choices of an answer; missing means the first.
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
  /** A later one replaces the members of an earlier one. */
  | { readonly type: "usage"; readonly usage: Usage }
  | { readonly type: "error"; readonly error: ApiError }
  /** Nothing follows. */
  | { readonly type: "end" };

interface Of {
  readonly part: number;
  readonly choice?: number;
}

/** A failure in no API's words. */
export interface ApiError {
  /** HTTP status, or the one that fits best where the failure came inside a stream. */
  readonly status: number;
  readonly message: string;
  readonly type?: string;
  readonly code?: string;
  /** Path of the member that is wrong. */
  readonly param?: string;
  readonly requestId?: string;
  /** The provider's own words. */
  readonly upstream?: { readonly provider: string; readonly status: number; readonly body: Json };
}

/**
 * How one API says requests, answers, streams and errors. Pure and synchronous; nothing throws, whatever the JSON holds.
 *
 * A shape knows no other shape: a request becomes a `Prompt`, and every shape writes prompts. Without the members of the
 * second half it is one that providers speak and clients do not.
 *
 * `state` is an object that starts empty; it belongs to the shape until the stream is over.
 */
export interface Shape {
  /** Lower case with dashes. */
  readonly name: string;
  /** What it says itself, what is lost in it and what is refused; what is missing is taken as said. */
  readonly takes?: Takes;
  readonly limits?: Limits;

  /** The body for a provider. The prompt has been fitted to `takes`, `limits` and the facts of the model before. */
  readonly writeRequest: (prompt: Prompt, call: Call) => WrittenRequest;
  readonly readAnswer: (body: Json) => Answer;
  readonly readEvent: (state: Json, event: StreamEvent) => readonly Piece[];
  readonly readError: (status: number, body: Json) => ApiError;

  /** Matches the end of a path at which clients speak it. */
  readonly endpoint?: RegExp;
  readonly readRequest?: (body: Json) => Prompt;
  readonly writeAnswer?: (answer: Answer, reply: Reply) => Json;
  /** Each event is written as soon as it is there. */
  readonly writeEvents?: (state: Json, piece: Piece, reply: Reply) => readonly SentEvent[];
  readonly writeError?: (error: ApiError) => Json;
  /** The status that clients of this API know for one that they may not. */
  readonly writeStatus?: (status: number) => number;
  /** The answer to a request to count its input. */
  readonly writeCount?: (tokens: number) => Json;
  /** What is sent in a stream after 15 s of silence. */
  readonly keepAlive?: (state: Json) => SentEvent;
}

/** What a shape has to know of the call that a request is for. */
export interface Call {
  /** Name of the model at the provider. */
  readonly model: string;
  readonly facts: ModelFacts;
  /** Whose state may be sent: `anthropic`, or with the credential `openai:<credential>`. */
  readonly issuer: string;
}

/** What is known of a model. A missing member is not known. */
export interface ModelFacts {
  /** Tokens of input and output together. */
  readonly context?: number;
  /** Most tokens of output. */
  readonly maxOutput?: number;
  readonly input?: readonly ("text" | "image" | "file" | "audio")[];
  /** How it is told how much to think. */
  readonly reasoning?: "effort" | "budget" | "adaptive" | "level" | "none";
  /** Efforts or levels that it has, where not all. */
  readonly efforts?: readonly Effort[];
  /** It cannot stop thinking. */
  readonly mustThink?: boolean;
  /** It thinks also where a tool is forced. */
  readonly thinksWhenForced?: boolean;
  /** Members that it refuses, by the name they have at the provider. */
  readonly rejects?: readonly string[];
  /** Members that it refuses while it thinks. */
  readonly rejectsThinking?: readonly string[];
  readonly jsonSchema?: boolean;
  readonly strictTools?: boolean;
  readonly maxTokensName?: string;
  readonly toolsNeedResponses?: boolean;
  /** System messages may stand in mid-conversation. */
  readonly systemInPlace?: boolean;
  /** Calls in the history need a signature. */
  readonly needsSignatures?: boolean;
  /** Where chat completions take reasoning of earlier turns back as text, such as `reasoning_content`. */
  readonly reasoningMember?: string;
  /** Model fields of Bedrock's converse that an effort becomes, as a function of facts and effort, made by the provider. */
  readonly effortFields?: Readonly<Partial<Record<Effort, Json>>>;
}

export interface WrittenRequest {
  readonly body: Json;
  /** Losses that only this shape knows of; those by `takes` and `limits` were noted before. */
  readonly losses?: readonly Loss[];
}

/** What an answer to a client says of itself. */
export interface Reply {
  readonly id: string;
  /** The model's name in the answer. */
  readonly model: string;
  /** Seconds since 1970. */
  readonly created: number;
  /** The client's request. */
  readonly prompt: Prompt;
}

/** One server-sent event. Data that is a text is sent as it is, all else as JSON. */
export interface SentEvent {
  readonly event?: string;
  readonly data?: Json;
  readonly comment?: string;
}

/**
 * What a shape does with one thing that a prompt may hold.
 *
 * `=` says it by itself; `-` says it by other means without a loss, or needs nothing said; `D` leaves it out with a warning;
 * `A` says something near it with a warning; `F` fetches an address first; `R` refuses the request.
 */
export type Take = "=" | "-" | "D" | "A" | "F" | "R";

/** What is missing is `=`. */
export type Takes = Readonly<Partial<Record<SettingName | PartName, Take>>>;

/** Parts and forms of a prompt that shapes differ in. */
export type PartName =
  /** System texts after the first turn; `-`: as a marked text of the user. */
  | "laterSystem"
  | "imageBytes"
  /** How closely to look at an image. */
  | "imageDetail"
  /** Name of a turn's participant. */
  | "participant"
  | "imageUrl"
  | "pdf"
  | "fileUrl"
  /** `-`: as text of the message. */
  | "textFile"
  | "fileId"
  | "audioIn"
  | "strict"
  /** `-`: as a function with one text. */
  | "customTool"
  /** `-`: as a part of the name. */
  | "namespace"
  | "search"
  | "choiceNone"
  | "choiceAny"
  | "choiceOne"
  /** `-`: the others are left out. */
  | "allowedTools"
  /** `-`: as text that begins `Error: `. */
  | "resultError"
  /** `-`: in a turn of the user after the results. */
  | "resultImages"
  | "resultFiles"
  | "cacheMarks"
  /** `A`: as a line of the system text. */
  | "jsonObject"
  /** What an answer by JSON Schema is for. */
  | "formatDescription"
  | "imageOut";

/** What a shape takes of what it takes. */
export interface Limits {
  /** A tool's name, whole. */
  readonly toolName?: RegExp;
  /** A call's id, whole. */
  readonly callId?: RegExp;
  readonly stopTexts?: number;
  readonly temperatureMax?: number;
  /** Turns of one role in a row are joined. */
  readonly turnsAlternate?: boolean;
  /** Empty text is left out, and white space at the end of a last assistant's text. */
  readonly noEmptyText?: boolean;
  /** A history with calls needs a tool beside it. */
  readonly callsNeedTools?: boolean;
  /** Results say the name of their tool. */
  readonly resultNames?: boolean;
  readonly maxTokensRequired?: boolean;
  /** A smaller token limit is refused. */
  readonly maxTokensLeast?: number;
  /** How a model is told how much to think whose facts do not say. */
  readonly reasoning?: "effort" | "budget" | "adaptive" | "level" | "none";
  /** Efforts that the API has a word for, where the model's facts do not say. */
  readonly efforts?: readonly Effort[];
  /** Tokens for thinking by effort, where they are no share of the token limit. */
  readonly budgets?: Readonly<Record<Effort, number>>;
  /** Thinking and a forced tool exclude each other, unless the model's facts say otherwise. */
  readonly noForcedThinking?: boolean;
  /** While tools are being called, a model with a budget thinks only where the turn of the calls begins with a thought. */
  readonly thoughtsLead?: boolean;
  /** A search stands beside no functions. */
  readonly searchAlone?: boolean;
  /** Settings that do not stand beside thinking. */
  readonly notWhileThinking?: readonly SettingName[];
  /** Where a model has no `jsonSchema`, its answer is asked for as the input of a tool. */
  readonly schemaTool?: boolean;
}

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

/** Milliseconds since 1970: the first of it, and the first after it. */
export interface CalendarPeriod {
  readonly start: number;
  readonly end: number;
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
  /**
   * The day, week (from Monday) or month that a moment is in, in a time zone. It takes some 100 µs: keep the answer while
   * it holds.
   *
   * @throws RangeError where there is no such time zone.
   */
  periodOf(calendar: "day" | "week" | "month", timeZone: string, time: number): CalendarPeriod;
  /** Whether `allow_private_targets` opens a host, at whichever port. @param host - lower case, without port. */
  opensPrivateTarget(host: string): boolean;
  /** Replaces what this plugin opens beside `allow_private_targets`, in the same form: names, addresses, CIDR blocks. */
  openPrivateTargets(entries: readonly string[]): void;
}

export interface PluginLog {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** What is used of one policy of a credential's limit. */
export interface LimitUse {
  readonly unit: "request" | "cents" | "tokens";
  readonly quota: number;
  readonly windowSeconds: number;
  /** In the window that ends now; calls in flight count once they are charged. */
  readonly used: number;
  /** When the policy has room again, in milliseconds since 1970; null where it has room. */
  readonly spentUntil: number | null;
}

type Verdict = Refusal | Admission | undefined | void;

export interface PluginHooks {
  /**
   * What has to be read from a request's body before `onRequest`: a list, or a function of the request where it depends on
   * that (gateway thread; failing counts as nothing). Without a need of any plugin, bodies pass as they come.
   */
  readonly needs?: readonly BodyNeed[] | ((request: GatewayRequest) => readonly BodyNeed[]);
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
   * forwarded, is to be given back here. At the unified address it is called once more for each call, with the call's id
   * and the record that has its usage.
   */
  onEnd?(end: RequestEnd): void;
  /**
   * Gateway thread, once for every record, when the client has its answer and the record is in the database: within a second
   * of the end. It delays nobody and cannot change the answer; what it returns is added to the record. Throwing or 250 ms adds
   * nothing, and is counted.
   */
  onAnswer?(answer: GatewayAnswer): AnswerNote | undefined | void | Promise<AnswerNote | undefined | void>;
  /** Recorder thread, before the record is stored. `false` drops the record. */
  onRecord?(draft: RecordDraft): false | undefined | void | Promise<false | undefined | void>;
  /**
   * Recorder thread, once for every record, after it is in the database: the place for checks in code. It sees both bodies
   * whole and delays no request; what it returns is added to the record. Throwing or 250 ms adds nothing, and is counted.
   */
  onRecorded?(draft: Readonly<RecordDraft>): AnswerNote | undefined | void | Promise<AnswerNote | undefined | void>;
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
  /**
   * Gateway thread: what this plugin has counted of a credential's limit. It counts nothing, and is asked when a route is
   * explained or health is shown.
   */
  limitsOf?(credential: PayingCredential): readonly LimitUse[];
  /** Called once when the plugin is unloaded. */
  dispose?(): void | Promise<void>;
}

/** One endpoint of the API, answered in the API's envelope. */
export interface PluginRoute {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below `/v1/`, with `:name` for a segment that varies, such as `/v1/domains/:domain/verify`. */
  readonly path: string;
  /**
   * What the caller's key needs; `admin` implies the others. `figures` is for what tells nothing of requests' bodies, and
   * `read` implies it.
   */
  readonly scope: "figures" | "read" | "write" | "admin";
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
  | {
      readonly status: number;
      /** What programs look at, such as `not_found`; without one it follows from the status. */
      readonly code?: string;
      readonly message: string;
      readonly path?: string;
    };

/** @typeParam Options - what `optionsSchema` allows. */
export interface PluginContext<Options = Json> {
  /** Its table `[plugins.<name>]`, checked, with the defaults of the schema filled in. */
  readonly options: Options;
  readonly log: PluginLog;
  /** Only where the hooks of the gateway's thread are called; the recorder's thread sets plugins up without it. */
  readonly gateway?: GatewayAccess;
}

/**
 * A plugin: state lives inside `setup` only. Its life:
 *
 * 1. The file is loaded in a thread that is thrown away, within 2 s; then in the gateway's and in the recorder's thread.
 * 2. `setup` runs once in each of the two, with `gateway` in the first one only, within 5 s. A failure at the start stops the
 *    service; later the version before stays.
 * 3. Of each request `needs` is asked, what it names is read, then `onRequest`, then the cache, then `onForward`: in the
 *    gateway's thread, built-in plugins first, then by file name. 250 ms each; a failure refuses the request (500
 *    `plugin_failed`), and the first refusal ends it. The record has begun before.
 * 4. When the answer is over, `onEnd`, in the gateway's thread. A failure is counted.
 * 5. Within a second of the end `onRecord` and, once that is committed, `onRecorded`, in the recorder's thread: both bodies
 *    are whole there, streams folded. 250 ms each; a failure leaves the record as it was before the hook.
 *    What `onRecorded` returns is in the record within another second.
 * 6. Then `onAnswer`, in the gateway's thread, where the state of `onRequest` is: it sees the answer as the record has it. Its
 *    limits and failures are those of `onEnd`; what it returns is in the record within another second.
 * 7. A hook that blocks its thread three times in a row is switched off for a minute; `/readyz` says so.
 * 8. When the file changes, the new version is set up first; then `dispose` of the old one runs, within 5 s. Options are read
 *    at the start of the service only.
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
