import { isUtf8 } from "node:buffer";
import { readEventStream } from "../mapping/events/eventstream.ts";
import { firstInked, parseJson } from "../mapping/events/json.ts";
import { readJsonArray } from "../mapping/events/json-array.ts";
import { looksLikeNdjson, readNdjson } from "../mapping/events/ndjson.ts";
import { readSse } from "../mapping/events/sse.ts";
import { formFields } from "../mapping/form.ts";
import type { Json, StreamEvent } from "../plugin-host/contract.ts";

export type BodyForm = "json" | "text" | "binary";

/** A body after its codings are undone: what it is and what it says. */
export interface Body {
  readonly form: BodyForm;
  /** What is shown: UTF-8 where the form is JSON or text, the bytes as they came where it is binary. */
  readonly bytes: Buffer;
  /** The bytes as they came: the same ones, unless the text was in another encoding or behind a mark. */
  readonly sent: Buffer;
  /** The value where the form is JSON; undefined otherwise. */
  readonly json: Json;
  /** The text where the form is JSON or text. */
  readonly text: string | undefined;
  /** The events where the body is a stream. */
  readonly events: StreamEvent[] | undefined;
  /** As sent, without parameters, lower case; "" where there was none. */
  readonly mime: string;
}

interface BodyContext {
  readonly contentType: string | undefined;
  /** Path with query: some paths say that their JSON array is a stream. */
  readonly path: string;
  /** Whether this may be a stream: only answers are. */
  readonly isResponse: boolean;
  /** The end is missing: what does not parse may have been whole once. */
  readonly incomplete: boolean;
}

const NDJSON = new Set(["application/x-ndjson", "application/ndjson", "application/stream+json"]);
const EVENT_STREAM = "application/vnd.amazon.eventstream";
const BINARY = /^(?:audio|video|image\/(?!svg)|font|application\/(?:pdf|zip|gzip|x-tar|wasm))/;
const TEXTUAL =
  /^(?:text\/|application\/(?:json|xml|javascript|x-www-form-urlencoded|graphql|yaml|x-yaml)|.*\+(?:json|xml)$)/;
const STREAMING_PATH = /:stream[A-Z]|[?&]stream=true/;
const SSE_START = /^(?::|(?:data|event|id|retry):)/;

/** What the decoded bytes of a body are, by their content type and by looking at them, for neither is always right. */
export function readBody(bytes: Buffer, context: BodyContext): Body {
  const [mime, charset] = parseContentType(context.contentType);
  if (mime === EVENT_STREAM && context.isResponse) return binary(bytes, mime, readEventStream(bytes) ?? []);
  const text = BINARY.test(mime) ? undefined : toText(bytes, mime, charset);
  if (text === undefined) return binary(bytes, mime, undefined);

  const start = firstInked(text);
  const bracket = text[start] === "{" || text[start] === "[";
  const json = bracket || mime.endsWith("json") ? parseJson(text) : undefined;
  const events = context.isResponse ? readEvents({ text, start, mime, json }, context) : undefined;
  // Bytes that were UTF-8 already stay the very bytes that were sent.
  const shown = isUtf8(bytes) && !hasByteOrderMark(bytes) ? bytes : Buffer.from(text);
  return { form: json === undefined ? "text" : "json", bytes: shown, sent: bytes, json, text, events, mime };
}

/** What a request's body says to readers: its JSON, or the fields of a form. */
export function requestValue(body: Body | undefined): Json {
  return body?.json ?? (body?.mime === "multipart/form-data" ? formFields(body.bytes) : undefined);
}

/** What an answer says that is no stream: its JSON, else its text. */
export function answerValue(body: Body | undefined): Json {
  return body?.events === undefined ? (body?.json ?? body?.text) : undefined;
}

interface Decoded {
  readonly text: string;
  /** Where it begins behind white space. */
  readonly start: number;
  readonly mime: string;
  readonly json: Json;
}

function readEvents({ text, start, mime, json }: Decoded, context: BodyContext): StreamEvent[] | undefined {
  if (mime === "text/event-stream") {
    const events = readSse(text);
    return events.length === 0 && json !== undefined ? undefined : events;
  }
  if (NDJSON.has(mime)) return readNdjson(text);
  if (text[start] === "[" && STREAMING_PATH.test(context.path)) return readJsonArray(text);
  if (json !== undefined || text === "") return undefined;
  if (SSE_START.test(text.slice(start, start + 8))) return nonEmpty(readSse(text));
  if (text[start] === "{" && !mime.includes("jsonl") && looksLikeNdjson(text)) return readNdjson(text);
  return undefined;
}

function nonEmpty(events: StreamEvent[]): StreamEvent[] | undefined {
  return events.length === 0 ? undefined : events;
}

function binary(bytes: Buffer, mime: string, events: StreamEvent[] | undefined): Body {
  return { form: "binary", bytes, sent: bytes, json: undefined, text: undefined, events, mime };
}

/** The text that the bytes are, or undefined where they are none: neither UTF-8 nor declared as text. */
function toText(bytes: Buffer, mime: string, charset: string | undefined): string | undefined {
  const decoder = decoderFor(charset);
  if (decoder !== undefined) return decoder.decode(bytes);
  const textual = TEXTUAL.test(mime);
  if (!textual && (!isUtf8(bytes) || bytes.includes(0))) return undefined;
  const text = bytes.toString("utf8");
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

/** A decoder for a declared charset other than UTF-8; an unknown name is read as UTF-8. */
function decoderFor(charset: string | undefined): TextDecoder | undefined {
  if (charset === undefined || charset === "utf-8" || charset === "utf8" || charset === "us-ascii") return undefined;
  try {
    return new TextDecoder(charset);
  } catch {
    return undefined;
  }
}

function parseContentType(value: string | undefined): [mime: string, charset: string | undefined] {
  if (value === undefined) return ["", undefined];
  const semicolon = value.indexOf(";");
  if (semicolon === -1) return [value.trim().toLowerCase(), undefined];
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(value)?.[1];
  return [value.slice(0, semicolon).trim().toLowerCase(), charset?.toLowerCase()];
}

function hasByteOrderMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}
