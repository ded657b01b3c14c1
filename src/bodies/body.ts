import { isUtf8 } from "node:buffer";
import { readEventStream } from "../mapping/events/eventstream.ts";
import { firstInked, parseJson } from "../mapping/events/json.ts";
import { readJsonArray } from "../mapping/events/json-array.ts";
import { looksLikeNdjson, readNdjson } from "../mapping/events/ndjson.ts";
import { readSse } from "../mapping/events/sse.ts";
import { formFields } from "../mapping/form-fields.ts";
import type { Json, StreamEvent } from "../plugin-host/contract.ts";
import { readAround, type UnreadStrings } from "./unread-strings.ts";

type BodyForm = "json" | "text" | "binary";

/** A body after decoding: its type and its content. */
export interface Body {
  readonly form: BodyForm;
  /** The displayed bytes: UTF-8 if the form is JSON or text, the bytes as received if it is binary. */
  readonly bytes: Buffer;
  /** The bytes as received: the same as `bytes`, unless the text had another encoding or a byte order mark. */
  readonly sent: Buffer;
  /** The value if the form is JSON; otherwise undefined. */
  readonly json: Json;
  /** The text if the form is JSON or text. */
  readonly text: string | undefined;
  /** The events if the body is a stream. */
  readonly events: StreamEvent[] | undefined;
  /** As sent, without parameters, lower case; "" if missing. */
  readonly mime: string;
  /** Long strings of the JSON that are decoded when they are read. */
  readonly unread?: UnreadStrings;
}

interface BodyContext {
  readonly contentType: string | undefined;
  /** Path with query: for some paths a JSON array is a stream. */
  readonly path: string;
  /** Whether this may be a stream: only responses are. */
  readonly isResponse: boolean;
  /** The end is missing: a body that does not parse may have been valid. */
  readonly incomplete: boolean;
  /** For tests: lengths, in bytes, from which on JSON is read around its long strings, and of these. */
  readonly sizes?: { readonly textMin: number; readonly stringMin?: number };
}

const NDJSON = new Set(["application/x-ndjson", "application/ndjson", "application/stream+json"]);
const EVENT_STREAM = "application/vnd.amazon.eventstream";
const BINARY = /^(?:audio|video|image\/(?!svg)|font|application\/(?:pdf|zip|gzip|x-tar|wasm))/;
const TEXTUAL =
  /^(?:text\/|application\/(?:json|xml|javascript|x-www-form-urlencoded|graphql|yaml|x-yaml)|.*\+(?:json|xml)$)/;
const STREAMING_PATH = /:stream[A-Z]|[?&]stream=true/;
const SSE_START = /^(?::|(?:data|event|id|retry):)/;

/** Shorter texts are read at once. */
const LARGE_BYTES_MIN = 65_536;

/** Determines the type of a body by its content type and by its bytes, because neither is always right. */
export function readBody(bytes: Buffer, context: BodyContext): Body {
  const type = contentTypeOf(context.contentType);
  const { mime } = type;
  if (mime === EVENT_STREAM && context.isResponse) return binary(bytes, mime, readEventStream(bytes) ?? []);
  const large = mayBeLarge(bytes, type, context) ? readAround(bytes, context.sizes?.stringMin) : undefined;
  if (large !== undefined) return new LargeJson(bytes, mime, large);
  const text = type.isBinary ? undefined : toText(bytes, type);
  if (text === undefined) return binary(bytes, mime, undefined);

  const start = firstInked(text);
  const bracket = text[start] === "{" || text[start] === "[";
  const json = bracket || mime.endsWith("json") ? parseJson(text) : undefined;
  const events = context.isResponse ? readEvents({ text, start, mime, json }, context) : undefined;
  // Valid UTF-8 stays the same buffer.
  const shown = isUtf8(bytes) && !hasByteOrderMark(bytes) ? bytes : Buffer.from(text);
  return { form: json === undefined ? "text" : "json", bytes: shown, sent: bytes, json, text, events, mime };
}

/** Whether JSON may be read around its long strings: it is whole, in UTF-8, and not the text of a stream. */
function mayBeLarge(bytes: Buffer, { mime, charset, isBinary }: ContentType, context: BodyContext): boolean {
  if (bytes.length < (context.sizes?.textMin ?? LARGE_BYTES_MIN)) return false;
  if (isBinary || context.incomplete || decoderFor(charset) !== undefined) return false;
  const mayStream = mime === "text/event-stream" || NDJSON.has(mime) || STREAMING_PATH.test(context.path);
  return !context.isResponse || !mayStream;
}

/** A JSON body with long strings; its text is decoded when it is read, which hardly any record needs. */
class LargeJson implements Body {
  readonly form = "json";
  readonly events = undefined;
  readonly bytes: Buffer;
  readonly mime: string;
  readonly json: Json;
  readonly unread: UnreadStrings;
  #text: string | undefined;

  constructor(bytes: Buffer, mime: string, { json, unread }: { readonly json: Json; readonly unread: UnreadStrings }) {
    this.bytes = bytes;
    this.mime = mime;
    this.json = json;
    this.unread = unread;
  }

  get sent(): Buffer {
    return this.bytes;
  }

  get text(): string {
    this.#text ??= this.bytes.toString("utf8");
    return this.#text;
  }
}

/** The content of a request's body for readers: its JSON, or the fields of a form. */
export function requestValue(body: Body | undefined): Json {
  return body?.json ?? (body?.mime === "multipart/form-data" ? formFields(body.bytes) : undefined);
}

/** The content of a response that is not a stream: its JSON, otherwise its text. */
export function responseValue(body: Body | undefined): Json {
  return body?.events === undefined ? (body?.json ?? body?.text) : undefined;
}

interface Decoded {
  readonly text: string;
  /** Index after leading white space. */
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

/** The bytes as text; undefined if they are neither UTF-8 nor declared as text. */
function toText(bytes: Buffer, { charset, isTextual }: ContentType): string | undefined {
  const decoder = decoderFor(charset);
  if (decoder !== undefined) return decoder.decode(bytes);
  if (!isTextual && (!isUtf8(bytes) || bytes.includes(0))) return undefined;
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

interface ContentType {
  readonly mime: string;
  readonly charset: string | undefined;
  readonly isBinary: boolean;
  readonly isTextual: boolean;
}

const TYPES_MAX = 256;
/** Longer texts are not remembered. */
const TYPE_LENGTH_MAX = 128;
const TYPES = new Map<string, ContentType>();

/** What a header says. The last few texts are remembered, because hardly any two bodies differ in theirs. */
function contentTypeOf(value = ""): ContentType {
  const known = TYPES.get(value);
  if (known !== undefined) return known;
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(value)?.[1]?.toLowerCase();
  const mime = value.split(";", 1)[0]!.trim().toLowerCase();
  const type = { mime, charset, isBinary: BINARY.test(mime), isTextual: TEXTUAL.test(mime) };
  if (value.length > TYPE_LENGTH_MAX) return type;
  if (TYPES.size >= TYPES_MAX) TYPES.clear();
  TYPES.set(value, type);
  return type;
}

function hasByteOrderMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}
