import type { Json } from "./json.ts";

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
