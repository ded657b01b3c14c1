import type { Answer, ApiError, Piece } from "./answer.ts";
import type { Json } from "./json.ts";
import type { Effort, Loss, Prompt, SettingName } from "./prompt.ts";
import type { StreamEvent } from "./reading.ts";

/**
 * One API's form of requests, responses, streams and errors. Pure and synchronous; nothing throws, for any JSON.
 *
 * A shape knows no other shape: a request becomes a `Prompt`, and every shape writes prompts. Without the members of the
 * second half it is only for providers, not for clients.
 *
 * `state` is an object that starts empty; it belongs to the shape until the stream ends.
 */
export interface Shape {
  /** Lower case with dashes. */
  readonly name: string;
  /** Its support per part of a prompt; missing entries are fully supported. */
  readonly takes?: Takes;
  readonly limits?: Limits;

  /** The body for a provider. The prompt has already been fitted to `takes`, `limits` and the facts of the model. */
  readonly writeRequest: (prompt: Prompt, call: Call) => WrittenRequest;
  readonly readAnswer: (body: Json) => Answer;
  readonly readEvent: (state: Json, event: StreamEvent) => readonly Piece[];
  readonly readError: (status: number, body: Json) => ApiError;

  /** Matches the end of clients' paths for it. */
  readonly endpoint?: RegExp;
  readonly readRequest?: (body: Json) => Prompt;
  readonly writeAnswer?: (answer: Answer, reply: Reply) => Json;
  /** Each event is written as soon as it exists. */
  readonly writeEvents?: (state: Json, piece: Piece, reply: Reply) => readonly SentEvent[];
  readonly writeError?: (error: ApiError) => Json;
  /** Maps a status to one that clients of this API know. */
  readonly writeStatus?: (status: number) => number;
  /** The response to a request to count its input. */
  readonly writeCount?: (tokens: number) => Json;
  /** The keep-alive sent in a stream after 15 s of silence. */
  readonly keepAlive?: (state: Json) => SentEvent;
}

/** The call's facts for a shape. */
export interface Call {
  /** Name of the model at the provider. */
  readonly model: string;
  readonly facts: ModelFacts;
  /** The issuer whose state may be sent: `anthropic`, or with the credential `openai:<credential>`. */
  readonly issuer: string;
}

/** Facts about a model. A missing member is unknown. */
export interface ModelFacts {
  /** Tokens of input and output together. */
  readonly context?: number;
  /** Maximum output tokens. */
  readonly maxOutput?: number;
  readonly input?: readonly ("text" | "image" | "file" | "audio")[];
  /** How its reasoning effort is set. */
  readonly reasoning?: "effort" | "budget" | "adaptive" | "level" | "none";
  /** Its efforts or levels, if not all. */
  readonly efforts?: readonly Effort[];
  /** It always thinks. */
  readonly mustThink?: boolean;
  /** It also thinks when a tool is forced. */
  readonly thinksWhenForced?: boolean;
  /** Members that it refuses, by the name they have at the provider. */
  readonly rejects?: readonly string[];
  /** Members that it refuses while it thinks. */
  readonly rejectsThinking?: readonly string[];
  /** `temperature` and `top_p` exclude each other. */
  readonly temperatureOrTopP?: boolean;
  readonly jsonSchema?: boolean;
  readonly strictTools?: boolean;
  readonly maxTokensName?: string;
  readonly toolsNeedResponses?: boolean;
  /** System messages may occur in mid-conversation. */
  readonly systemInPlace?: boolean;
  /** Calls in the history need a signature. */
  readonly needsSignatures?: boolean;
  /** The member for reasoning of earlier turns in chat completions, such as `reasoning_content`. */
  readonly reasoningMember?: string;
  /** Model fields of Bedrock's converse for an effort, as a function of facts and effort, defined by the provider. */
  readonly effortFields?: Readonly<Partial<Record<Effort, Json>>>;
}

export interface WrittenRequest {
  readonly body: Json;
  /** Losses specific to this shape; those by `takes` and `limits` are already noted. */
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
 * A shape's support for one part of a prompt.
 *
 * `=` has its own place; `-` uses other means without a loss, or needs nothing; `D` drops it with a warning;
 * `A` approximates it with a warning; `F` fetches an address first; `R` refuses the request.
 */
export type Take = "=" | "-" | "D" | "A" | "F" | "R";

/** Missing means `=`. */
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
  | "choiceSearch"
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
  /** A stop text of white space alone is refused. */
  readonly noBlankStop?: boolean;
  readonly temperatureMax?: number;
  /** Consecutive turns of one role are joined. */
  readonly turnsAlternate?: boolean;
  /** Drops empty text, and trailing white space of a final assistant text. */
  readonly noEmptyText?: boolean;
  /** A history with calls needs a tool beside it. */
  readonly callsNeedTools?: boolean;
  /** Results have the name of their tool. */
  readonly resultNames?: boolean;
  readonly maxTokensRequired?: boolean;
  /** A smaller token limit is refused. */
  readonly maxTokensLeast?: number;
  /** The reasoning setting of models without facts. */
  readonly reasoning?: "effort" | "budget" | "adaptive" | "level" | "none";
  /** Efforts of the API, for models without facts. */
  readonly efforts?: readonly Effort[];
  /** Thinking tokens by effort, if they are not a share of the token limit. */
  readonly budgets?: Readonly<Record<Effort, number>>;
  /** Thinking and a forced tool exclude each other, unless the model's facts say otherwise. */
  readonly noForcedThinking?: boolean;
  /** While tools are being called, a model with a budget thinks only where the turn of the calls begins with a thought. */
  readonly thoughtsLead?: boolean;
  /** A search cannot be combined with functions. */
  readonly searchAlone?: boolean;
  /** Settings that cannot be combined with thinking. */
  readonly notWhileThinking?: readonly SettingName[];
  /** If a model has no `jsonSchema`, its response is requested as the input of a tool. */
  readonly schemaTool?: boolean;
}
