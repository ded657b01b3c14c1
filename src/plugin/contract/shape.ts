import type { Answer, ApiError, Piece } from "./answer.ts";
import type { Json } from "./json.ts";
import type { Effort, Loss, Prompt, SettingName } from "./prompt.ts";
import type { StreamEvent } from "./reading.ts";

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
