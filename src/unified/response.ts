import { type EventFraming, type EventReader, eventReader } from "../mapping/events/event-reader.ts";
import { filledText, isObject, listOf, parseJson, utf8Of } from "../mapping/json.ts";
import type { CallMemory } from "../mapping/translate/call-memory.ts";
import {
  type AnswerOptions,
  eventText,
  readWhole,
  StreamTranslation,
  type TranslatedAnswer,
  writeAsEvents,
  writeWhole,
} from "../mapping/translate/translate.ts";
import { errorOfChoice } from "../mapping/wire/chat-completions/answer.ts";
import { SHAPES } from "../mapping/wire/shapes.ts";
import type { Answer, ApiError, Json, Piece, Prompt, SentEvent, Shape, Usage } from "../plugin/contract.ts";
import { idsOf } from "./ids.ts";
import type { Outbound } from "./outbound.ts";

/** What a response is translated with. */
export interface ResponseContext {
  readonly outbound: Pick<Extract<Outbound, { readonly kind: "translated" }>, "shape" | "prompt" | "names">;
  /** The client's shape. */
  readonly to: string;
  readonly issuer: string;
  /** Id of the client's request. */
  readonly requestId: string;
  readonly model: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly inputTokens: number;
}

function optionsOf({ outbound, to, issuer, requestId, model, startedAt, inputTokens }: ResponseContext): AnswerOptions {
  const client = SHAPES[to]!;
  return {
    from: outbound.shape,
    to: client,
    names: outbound.names,
    issuer,
    reply: {
      id: idsOf(to, requestId),
      model,
      created: Math.floor(startedAt / 1_000),
      prompt: outbound.prompt as Prompt,
    },
    estimate: (answer) => estimated(answer, inputTokens),
  };
}

/** Characters of a token, where nothing better is known. */
const TOKEN_CHARACTERS = 4;

function estimated({ choices }: Answer, inputTokens: number): Usage {
  let characters = 0;
  for (const { parts } of choices) {
    for (const part of parts) {
      if (part.type === "text" || part.type === "reasoning" || part.type === "refusal") characters += part.text.length;
      else if (part.type === "call") characters += part.name.length + part.arguments.length;
    }
  }
  const completion_tokens = Math.ceil(characters / TOKEN_CHARACTERS);
  return { prompt_tokens: inputTokens, completion_tokens, total_tokens: inputTokens + completion_tokens };
}

/** What a whole response is to the client. */
export type WholeResponse =
  | {
      readonly kind: "answer";
      readonly body: Uint8Array;
      readonly isStream: boolean;
      readonly states: ReadonlyMap<string, CallMemory>;
      readonly usage: Usage | undefined;
      readonly estimated: boolean;
    }
  /** An error inside a success. */
  | { readonly kind: "error"; readonly error: ApiError }
  | { readonly kind: "malformed" };

/** How the events of a body are framed, by its content type; undefined where it is one value. */
export function framingOf(contentType: string): EventFraming | undefined {
  if (/amazon\.eventstream/i.test(contentType)) return "aws";
  if (/event-stream/i.test(contentType)) return "sse";
  return /ndjson|jsonl|stream\+json/i.test(contentType) ? "ndjson" : undefined;
}

/**
 * Translates a response that has come whole. A client that asked for a stream gets one, and one that did not gets an
 * answer, whatever the provider sent.
 *
 * @param framing - where the provider sent a stream.
 */
export function translateWhole(bytes: Uint8Array, context: ResponseContext, framing?: EventFraming): WholeResponse {
  const options = optionsOf(context);
  const read = framing === undefined ? readBody(bytes, options) : readStreamed(bytes, framing, options);
  if ("kind" in read) return read;
  const { answer, states, estimated } = read;
  const first = answer.choices[0];
  if (first === undefined || (first.finish === "malformed" && first.parts.length === 0)) return { kind: "malformed" };
  const isStream = context.outbound.prompt.stream;
  const text = isStream
    ? writeAsEvents(answer, options).map(eventText).join("")
    : JSON.stringify(writeWhole(answer, options));
  return { kind: "answer", body: Buffer.from(text), isStream, states, usage: answer.usage, estimated };
}

type Unread = Extract<WholeResponse, { readonly kind: "error" | "malformed" }>;

function readBody(bytes: Uint8Array, options: AnswerOptions): TranslatedAnswer | Unread {
  const body = parseJson(utf8Of(bytes));
  if (!isObject(body)) return { kind: "malformed" };
  const failed = errorIn(body);
  if (failed !== undefined) return { kind: "error", error: options.from.readError(502, failed) };
  return readWhole(body, options);
}

function readStreamed(bytes: Uint8Array, framing: EventFraming, options: AnswerOptions): TranslatedAnswer | Unread {
  const reader = eventReader(framing);
  const stream = new StreamTranslation(options);
  try {
    for (const event of [...reader.push(bytes), ...reader.end()]) stream.event(event);
  } catch (error) {
    if (error instanceof RangeError) return { kind: "malformed" };
    throw error;
  }
  stream.close();
  return stream.error === undefined ? stream : { kind: "error", error: stream.error };
}

/** Why a whole response that passes unchanged is none, if so. @param bytes - undefined where they cannot be unpacked. */
export function wholeFailure(bytes: Uint8Array | undefined, shapeName: string): ApiError | "malformed" | undefined {
  const shape = Object.hasOwn(SHAPES, shapeName) ? SHAPES[shapeName] : undefined;
  if (shape === undefined) return undefined;
  const body = bytes && parseJson(utf8Of(bytes));
  if (!isObject(body)) return "malformed";
  const failed = errorIn(body);
  if (failed !== undefined) return shape.readError(502, failed);
  const [first] = shape.readAnswer(body).choices;
  return first?.finish === "malformed" && first.parts.length === 0 ? "malformed" : undefined;
}

/** The error that a success is, as an error's body would have it. */
function errorIn(body: Record<string, Json>): Json {
  if (body["type"] === "error" || isObject(body["error"]) || filledText(body["error"]) !== undefined) return body;
  const choice = listOf(body["choices"])[0];
  const own = isObject(choice) ? errorOfChoice(choice) : undefined;
  return own && { error: own };
}

/** A provider's stream on its way into the client's shape. */
export class TranslatedStream {
  readonly #reader: EventReader;
  readonly #translation: StreamTranslation;
  /** Whether the provider has sent an event. */
  begun = false;

  constructor(framing: EventFraming, context: ResponseContext) {
    this.#reader = eventReader(framing);
    this.#translation = new StreamTranslation(optionsOf(context));
  }

  get hasContent(): boolean {
    return this.#translation.hasContent;
  }

  get error(): ApiError | undefined {
    return this.#translation.error;
  }

  get ended(): boolean {
    return this.#translation.ended;
  }

  get states(): ReadonlyMap<string, CallMemory> {
    return this.#translation.states;
  }

  get estimated(): boolean {
    return this.#translation.estimated;
  }

  get usage(): Usage | undefined {
    return this.#translation.answer.usage;
  }

  /** @throws RangeError where an event is larger than any may be. */
  push(bytes: Uint8Array): string {
    let text = "";
    for (const event of this.#reader.push(bytes)) text += this.#text(this.#translation.event(event));
    return text;
  }

  /** The provider has ended its stream. */
  end(): string {
    let text = "";
    for (const event of this.#reader.end()) text += this.#text(this.#translation.event(event));
    return text + this.#text(this.#translation.close());
  }

  fail(error: ApiError): string {
    return this.#text(this.#translation.fail(error));
  }

  keepAlive(): string {
    return this.#text(this.#translation.keepAlive());
  }

  #text(events: readonly SentEvent[]): string {
    this.begun = true;
    return events.map(eventText).join("");
  }
}

const CONTENT: ReadonlySet<Piece["type"]> = new Set(["text", "refusal", "reasoning", "call", "image", "hosted"]);

/** Looks at the beginning of a stream that passes unchanged: whether content has come, or an error before it. */
export class StreamWatch {
  readonly #reader: EventReader;
  readonly #shape: Shape | undefined;
  readonly #state: Json = {};
  hasContent = false;
  begun = false;
  error: ApiError | undefined;

  constructor(framing: EventFraming, shape: string) {
    this.#reader = eventReader(framing);
    this.#shape = Object.hasOwn(SHAPES, shape) ? SHAPES[shape] : undefined;
    if (this.#shape === undefined) this.hasContent = true;
  }

  push(bytes: Uint8Array): void {
    for (const event of this.#reader.push(bytes)) {
      this.begun = true;
      for (const piece of this.#shape?.readEvent(this.#state, event) ?? []) {
        if (CONTENT.has(piece.type) || piece.type === "finish") this.hasContent = true;
        if (piece.type === "error" && !this.hasContent) this.error ??= piece.error;
      }
      if (this.hasContent) return;
    }
  }
}

/** Anthropic's events out of the frames that AWS puts around them, as server-sent events. */
export class UnframedEvents {
  readonly #reader = eventReader("aws");

  push(bytes: Uint8Array): Buffer {
    const text = this.#reader.push(bytes).map(({ data }) => {
      const event = typeof data?.type === "string" ? { event: data.type, data } : { data };
      return eventText(event);
    });
    return Buffer.from(text.join(""));
  }
}

/** Takes the usage out of a chat stream that the client did not ask for it. */
export class UsageStripper {
  #rest = "";
  readonly #decoder = new TextDecoder("utf-8");

  push(bytes: Uint8Array): Buffer {
    return this.#take(this.#decoder.decode(bytes, { stream: true }), false);
  }

  end(): Buffer {
    return this.#take(this.#decoder.decode(), true);
  }

  #take(text: string, isLast: boolean): Buffer {
    const all = this.#rest + text;
    const cut = isLast ? all.length : Math.max(all.lastIndexOf("\n\n") + 2, all.lastIndexOf("\r\n\r\n") + 4);
    const end = cut < 4 && !isLast ? 0 : cut;
    this.#rest = all.slice(end);
    return Buffer.from(
      all
        .slice(0, end)
        .split(/(?<=\n\n|\r\n\r\n)/)
        .filter((block) => !/^data:.*"choices"\s*:\s*\[\s*\]/.test(block) || !block.includes('"usage"'))
        .join(""),
    );
  }
}

/** An error in the client's shape. */
export function writeErrorIn(shape: string, error: ApiError): { readonly status: number; readonly body: Json } {
  const client = Object.hasOwn(SHAPES, shape) ? SHAPES[shape] : undefined;
  const writer = client?.writeError === undefined ? SHAPES["chat-completions"]! : client;
  return { status: writer.writeStatus?.(error.status) ?? error.status, body: writer.writeError!(error) };
}

/** A provider's error, as its shape says it. */
export function readErrorOf(shape: Shape, status: number, bytes: Uint8Array): ApiError {
  const text = utf8Of(bytes);
  return shape.readError(status, parseJson(text) ?? text);
}

/** The JSON of a body that Weir wrote. */
export function jsonOf(bytes: Uint8Array): Json {
  return parseJson(utf8Of(bytes));
}

const SHOWN_CHARACTERS_MAX = 4_096;

/** The beginning of a provider's body, for the client to see: its JSON, else its text. */
export function shownBody(bytes: Uint8Array): Json {
  const text = utf8Of(bytes);
  if (text.length > SHOWN_CHARACTERS_MAX) return `${text.slice(0, SHOWN_CHARACTERS_MAX)}…`;
  return parseJson(text) ?? text;
}
