import { GatewayError } from "../errors.ts";
import { type EventFraming, type EventReader, eventReader } from "../mapping/events/event-reader.ts";
import { parseExact } from "../mapping/exact-json.ts";
import { isObject, parseJson } from "../mapping/json.ts";
import type { CallMemory } from "../mapping/translate/call-memory.ts";
import {
  eventText,
  type ResponseOptions,
  readWhole,
  StreamTranslation,
  type TranslatedResponse,
  writeAsEvents,
  writeWhole,
} from "../mapping/translate/translate.ts";
import { SHAPES } from "../mapping/wire/shapes.ts";
import type { Answer, ApiError, Json, Prompt, SentEvent, Shape, Usage } from "../plugin-host/contract.ts";
import { type ClientApi, nameOfApi, shapeOfApi } from "./client-api.ts";
import { idsOf } from "./ids.ts";
import type { Outbound } from "./outbound.ts";
import { errorIn, isNone, jsonOf, readErrorInside, textOf } from "./response-failure.ts";

/** The context of a response's translation. */
export interface ResponseContext {
  readonly outbound: Pick<Extract<Outbound, { readonly kind: "translated" }>, "shape" | "prompt" | "names">;
  readonly to: ClientApi;
  readonly issuer: string;
  /** Id of the client's request. */
  readonly requestId: string;
  readonly model: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly inputTokens: number;
}

function optionsOf({
  outbound,
  to,
  issuer,
  requestId,
  model,
  startedAt,
  inputTokens,
}: ResponseContext): ResponseOptions {
  const client = shapeOfApi(to)!;
  return {
    from: outbound.shape,
    to: client,
    names: outbound.names,
    issuer,
    reply: {
      id: idsOf(nameOfApi(to), requestId),
      model,
      created: Math.floor(startedAt / 1_000),
      prompt: outbound.prompt as Prompt,
    },
    estimate: (answer) => estimated(answer, inputTokens),
  };
}

/** Characters per token, as a fallback. */
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

/** The client's form of a complete response. */
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

/** The framing of a body's events, by its content type; undefined if it is a single value. */
export function framingOf(contentType: string): EventFraming | undefined {
  if (/amazon\.eventstream/i.test(contentType)) return "aws";
  if (/event-stream/i.test(contentType)) return "sse";
  return /ndjson|jsonl|stream\+json/i.test(contentType) ? "ndjson" : undefined;
}

/**
 * Translates a complete response. A client that requested a stream gets one, any other client gets a single response,
 * regardless of the provider's form.
 *
 * @param framing - set if the provider sent a stream.
 */
export function translateWhole(bytes: Uint8Array, context: ResponseContext, framing?: EventFraming): WholeResponse {
  const options = optionsOf(context);
  const read = framing === undefined ? readBody(bytes, options) : readStreamed(bytes, framing, options);
  if ("kind" in read) return read;
  const { answer, states, estimated } = read;
  if (isNone(answer)) return { kind: "malformed" };
  const isStream = context.outbound.prompt.stream;
  const text = isStream
    ? writeAsEvents(answer, options).map(eventText).join("")
    : JSON.stringify(writeWhole(answer, options));
  return { kind: "answer", body: Buffer.from(text), isStream, states, usage: answer.usage, estimated };
}

type Unread = Extract<WholeResponse, { readonly kind: "error" | "malformed" }>;

function readBody(bytes: Uint8Array, options: ResponseOptions): TranslatedResponse | Unread {
  const body = parseExact(textOf(bytes));
  // Some servers send events with a wrong content type.
  if (body === undefined && EVENTS_BEGIN.test(textOf(bytes.subarray(0, 64))))
    return readStreamed(bytes, "sse", options);
  if (!isObject(body)) return { kind: "malformed" };
  const failed = errorIn(body);
  if (failed !== undefined) return { kind: "error", error: readErrorInside(options.from, failed) };
  return readWhole(body, options);
}

const EVENTS_BEGIN = /^\s*(?:data|event|id|retry)?:/;

function readStreamed(bytes: Uint8Array, framing: EventFraming, options: ResponseOptions): TranslatedResponse | Unread {
  const reader = eventReader(framing, parseExact);
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

/** Translates a provider's stream into the client's shape. */
export class TranslatedStream {
  readonly #reader: EventReader;
  readonly #translation: StreamTranslation;
  /** Whether the provider has sent an event. */
  begun = false;

  constructor(framing: EventFraming, context: ResponseContext) {
    this.#reader = eventReader(framing, parseExact);
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

  /** @throws RangeError if an event is too large. */
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

interface WrittenError {
  readonly status: number;
  readonly body: Json;
}

/** An error in the client's shape; in that of chat completions if a drop-in's shape fails on it. */
export function writeErrorIn(api: ClientApi, error: ApiError): WrittenError {
  const client = shapeOfApi(api);
  const usual = SHAPES["chat-completions"]!;
  try {
    return writtenBy(client?.writeError === undefined ? usual : client, error);
  } catch (fault) {
    if (!(fault instanceof GatewayError)) throw fault;
    return writtenBy(usual, error);
  }
}

const writtenBy = (writer: Shape, error: ApiError): WrittenError => ({
  status: writer.writeStatus?.(error.status) ?? error.status,
  body: writer.writeError!(error),
});

/** A provider's error in its shape. */
export function readErrorOf(shape: Shape, status: number, bytes: Uint8Array): ApiError {
  return shape.readError(status, jsonOf(bytes) ?? textOf(bytes));
}

const SHOWN_CHARACTERS_MAX = 4_096;

/** The beginning of a provider's body, for the client to see: its JSON, else its text. */
export function shownBody(bytes: Uint8Array): Json {
  const text = textOf(bytes);
  if (text.length > SHOWN_CHARACTERS_MAX) return `${text.slice(0, SHOWN_CHARACTERS_MAX)}…`;
  return parseJson(text) ?? text;
}
