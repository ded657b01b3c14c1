import type {
  Answer,
  ApiError,
  Call,
  Json,
  Loss,
  Piece,
  Prompt,
  Reply,
  SentEvent,
  Shape,
  StreamEvent,
  Usage,
} from "../../plugin-host/contract.ts";
import { isObject, type JsonObject } from "../json.ts";
import type { CallMemory } from "./call-memory.ts";
import { fit } from "./fit.ts";
import { PieceFold, piecesOf } from "./pieces.ts";
import { Restore } from "./restore.ts";
import { finishWith, Sequence } from "./sequence.ts";
import type { ToolNames } from "./tool-names.ts";

/** A request written for a provider, and the data for restoring its response. */
interface TranslatedRequest {
  readonly body: Json;
  /** In order of detection, without duplicate paths. */
  readonly losses: readonly Loss[];
  readonly names: ToolNames;
}

/** Writes a client's prompt in a provider's shape. Pure; the same prompt gives the same bytes. */
export function translateRequest(prompt: Prompt, shape: Shape, call: Call): TranslatedRequest {
  const fitted = fit(prompt, shape, call);
  const { body, losses = [] } = shape.writeRequest(fitted.prompt, call);
  const own = prompt.shape === shape.name && isObject(body) ? { ...prompt.extra, ...body } : body;
  return {
    body: withoutMembers(own, call.facts.rejects),
    losses: distinct([...fitted.losses, ...losses]),
    names: fitted.names,
  };
}

/** Removes members that the model refuses, by their name at the provider. */
function withoutMembers(body: Json, rejects: readonly string[] = []): Json {
  if (!isObject(body) || !rejects.some((name) => Object.hasOwn(body, name))) return body;
  const kept: JsonObject = {};
  for (const name of Object.keys(body)) if (!rejects.includes(name)) kept[name] = body[name];
  return kept;
}

function distinct(losses: readonly Loss[]): readonly Loss[] {
  if (losses.length < 2) return losses;
  const seen = new Map<string, Loss>();
  for (const loss of losses) {
    const key = `${loss.kind} ${loss.path}`;
    if (!seen.has(key)) seen.set(key, loss);
  }
  return [...seen.values()];
}

/** The data for translating the response. */
export interface ResponseOptions {
  /** The provider's shape and the client's. */
  readonly from: Shape;
  readonly to: Shape;
  readonly names: ToolNames;
  /** The issuer of the state in the response. */
  readonly issuer: string;
  readonly reply: Reply;
  /** Estimates the usage of a response without usage. */
  readonly estimate?: (answer: Answer) => Usage | undefined;
}

export interface TranslatedResponse {
  readonly answer: Answer;
  /** State of calls by their id. */
  readonly states: ReadonlyMap<string, CallMemory>;
  readonly estimated: boolean;
}

const restoreOf = (options: ResponseOptions) => new Restore(options);

/** Reads a provider's complete response for the client; an empty response has no choices. */
export function readWhole(body: Json, options: ResponseOptions): TranslatedResponse {
  const restore = restoreOf(options);
  const answer = settled(restore.answer(options.from.readAnswer(body)));
  const guess = answer.usage === undefined ? options.estimate?.(answer) : undefined;
  return {
    answer: guess === undefined ? answer : { ...answer, usage: guess },
    states: restore.states,
    estimated: guess !== undefined,
  };
}

/** Applies the same rule as for pieces: a call in the response determines the finish reason. */
function settled(answer: Answer): Answer {
  const choices = answer.choices.map((choice) => {
    const called = choice.parts.some(({ type }) => type === "call");
    return { ...choice, finish: finishWith(choice.finish, called) };
  });
  return { ...answer, choices };
}

/** A complete response for the client. */
export const writeWhole = (answer: Answer, { to, reply }: ResponseOptions): Json => to.writeAnswer!(answer, reply);

/** A complete response as the events of a stream, for a client that requested one. */
export function writeAsEvents(answer: Answer, { to, reply }: ResponseOptions): SentEvent[] {
  const state = {};
  return piecesOf(answer).flatMap((piece) => to.writeEvents!(state, piece, reply));
}

const CONTENT: ReadonlySet<Piece["type"]> = new Set(["text", "refusal", "reasoning", "call", "image", "hosted"]);

const CUT_OFF: ApiError = {
  status: 502,
  code: "upstream_malformed",
  message: "the provider ended the stream before the response was complete",
};

const MALFORMED: ApiError = {
  status: 502,
  code: "upstream_malformed",
  message: "the provider could not read its own model's tool call",
};

/** Translates one stream from a provider's shape to the client's. Sends no event after the last. */
export class StreamTranslation {
  /** Whether text, reasoning, a call or an image has arrived. */
  hasContent = false;
  /** The failure that ended it. */
  error: ApiError | undefined;
  /** Whether nothing more will be sent. */
  ended = false;
  estimated = false;
  #finished = false;
  #usageSeen = false;
  readonly #options: ResponseOptions;
  readonly #restore: Restore;
  readonly #sequence = new Sequence();
  readonly #fold = new PieceFold();
  readonly #reading: Json = {};
  readonly #writing: Json = {};

  constructor(options: ResponseOptions) {
    this.#options = options;
    this.#restore = restoreOf(options);
  }

  get states(): ReadonlyMap<string, CallMemory> {
    return this.#restore.states;
  }

  /** The content so far, as a complete response. */
  get answer(): Answer {
    return this.#fold.answer();
  }

  /** The client's events for one event of the provider. */
  event(event: StreamEvent): readonly SentEvent[] {
    const sent: SentEvent[] = [];
    for (const piece of this.#options.from.readEvent(this.#reading, event)) this.#take(piece, sent);
    return sent;
  }

  /** The provider has closed its stream. If the response had not ended, it failed. */
  close(): readonly SentEvent[] {
    const sent: SentEvent[] = [];
    if (this.#finished) this.#take({ type: "end" }, sent);
    else this.#take({ type: "error", error: CUT_OFF }, sent);
    return sent;
  }

  fail(error: ApiError): readonly SentEvent[] {
    const sent: SentEvent[] = [];
    this.#take({ type: "error", error }, sent);
    return sent;
  }

  keepAlive(): readonly SentEvent[] {
    const { to } = this.#options;
    return this.ended || to.keepAlive === undefined ? [] : [to.keepAlive(this.#writing)];
  }

  #take(piece: Piece, sent: SentEvent[]): void {
    if (piece.type === "finish" && piece.finish === "malformed" && !this.hasContent) {
      this.#take({ type: "error", error: MALFORMED }, sent);
      return;
    }
    // An end without a finish reason means that the provider gave up.
    const own: Piece = piece.type === "end" && !this.#finished ? { type: "error", error: CUT_OFF } : piece;
    for (const restored of this.#restore.piece(own))
      for (const next of this.#sequence.take(restored)) this.#write(next, sent);
  }

  #write(piece: Piece, sent: SentEvent[]): void {
    if (this.ended) return;
    if (CONTENT.has(piece.type)) this.hasContent = true;
    if (piece.type === "finish") this.#finished = true;
    if (piece.type === "usage") this.#usageSeen = true;
    this.#fold.take(piece);
    if (piece.type === "end") this.#estimate(sent);
    for (const event of this.#options.to.writeEvents!(this.#writing, piece, this.#options.reply)) sent.push(event);
    if (piece.type === "error") this.error = piece.error;
    if (piece.type === "error" || piece.type === "end") this.ended = true;
  }

  #estimate(sent: SentEvent[]): void {
    const usage = this.#usageSeen ? undefined : this.#options.estimate?.(this.#fold.answer());
    if (usage === undefined) return;
    this.estimated = true;
    this.#write({ type: "usage", usage }, sent);
  }
}

/** The text of a server-sent event. */
export function eventText({ event, data, comment }: SentEvent): string {
  if (comment !== undefined) return `: ${comment}\n\n`;
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return event === undefined ? `data: ${text}\n\n` : `event: ${event}\ndata: ${text}\n\n`;
}
