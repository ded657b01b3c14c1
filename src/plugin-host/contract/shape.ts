import type { Answer, ApiError, Piece } from "./answer.ts";
import type { Json } from "./json.ts";
import type { Effort, Loss, Prompt, SettingName } from "./prompt.ts";
import type { StreamEvent } from "./reading.ts";

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
