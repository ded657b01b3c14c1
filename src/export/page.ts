import { isUtf8 } from "node:buffer";
import { readMembers } from "../record/json-members.ts";
import { findCompactRows } from "./compact-page.ts";
import { LINE_END, type Lines } from "./lines.ts";
import { type FoundRows, findRows } from "./rows.ts";

export interface Page {
  /** The records as the service sent them, less the members that expire. */
  readonly lines: Lines;
  readonly rows: number;
  /** Null after the last row. */
  readonly nextCursor: string | null;
}

/** An answer with status 200 that is not what was asked for: cut off, no JSON, no envelope. It is asked for again. */
export class UnreadableAnswer extends Error {
  override readonly name = "UnreadableAnswer";
}

interface Envelope {
  readonly data?: unknown;
  readonly [name: string]: unknown;
}

const CURSOR_CHARACTERS_MAX = 2_000;

interface Opened {
  readonly envelope: Envelope;
  readonly bytes: Buffer;
  readonly found: FoundRows;
}

/**
 * Reads the answer of a query endpoint, and makes a page's lines of its bytes, where they are.
 *
 * Bytes and not values, because `JSON.parse` followed by `JSON.stringify` changes numbers that a double cannot hold. As
 * text they have one character each (`latin1`), so that a place in the text is a place in the bytes.
 *
 * @param limit - rows that were asked for; more than that is not an answer to our question.
 * @throws UnreadableAnswer
 */
export function readPage(answer: Buffer, limit: number): Page {
  const { envelope, bytes, found } = openCompact(answer) ?? openAny(answer);
  const rows = found.ends.length;
  const nextCursor = envelope["next_cursor"] ?? null;
  if (nextCursor !== null && typeof nextCursor !== "string") throw new UnreadableAnswer("`next_cursor` is not text");
  if (rows > limit) throw new UnreadableAnswer("more records than were asked for");
  if (rows === 0 && nextCursor !== null && limit > 0) {
    throw new UnreadableAnswer("a page without records that is not the last one");
  }
  return { lines: linesOf(bytes, found), rows, nextCursor };
}

/** The cursor that an answer seems to end with, before anything of it is checked; undefined where there seems to be none. */
export function cursorAtEnd(answer: Buffer): string | undefined {
  const end = answer.toString("latin1", Math.max(0, answer.length - CURSOR_CHARACTERS_MAX));
  return /"next_cursor":"([\w\-+/=.~]+)"\}$/.exec(end)?.[1];
}

/** Parses an answer and checks that it is an envelope without an error in it. */
export function readEnvelope(answer: Uint8Array): Envelope {
  return parseEnvelope(new TextDecoder().decode(answer));
}

function openCompact(bytes: Buffer): Opened | undefined {
  const page = isUtf8(bytes) ? findCompactRows(bytes.toString("latin1")) : undefined;
  return page && { ...page, envelope: checkEnvelope(page.envelope), bytes };
}

/** Takes several times as long, and takes any form of JSON. */
function openAny(answer: Buffer): Opened {
  const text = new TextDecoder().decode(answer);
  const envelope = parseEnvelope(text);
  if (!Array.isArray(envelope.data) || !envelope.data.every(isObject)) {
    throw new UnreadableAnswer("`data` is not a list of records");
  }
  // A line break outside a string would break a record over two lines of the output.
  const compact = text.includes("\n") ? JSON.stringify(envelope) : text;
  const bytes = Buffer.from(readMembers(compact).get("data") ?? "[]");
  return { envelope, bytes, found: findRows(bytes.toString("latin1")) };
}

function parseEnvelope(text: string): Envelope {
  let envelope: unknown;
  try {
    envelope = JSON.parse(text);
  } catch (cause) {
    throw new UnreadableAnswer("not JSON, or cut off", { cause });
  }
  return checkEnvelope(envelope);
}

function checkEnvelope(envelope: unknown): Envelope {
  if (!isObject(envelope) || !Object.hasOwn(envelope, "data")) throw new UnreadableAnswer("no envelope with `data`");
  const error = envelope["error"] ?? null;
  if (error !== null) {
    throw new UnreadableAnswer(`an error in an answer with status 200: ${JSON.stringify(error).slice(0, 80)}`);
  }
  return envelope;
}

function isObject(value: unknown): value is Envelope {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Moves what stays to the front of `bytes`. */
function linesOf(bytes: Buffer, { pieces, ends }: FoundRows): Lines {
  for (const end of ends) bytes[end] = LINE_END;
  let length = 0;
  for (let index = 0; index < pieces.length; index += 2) {
    const [from, to] = [pieces[index]!, pieces[index + 1]!];
    bytes.copyWithin(length, from, to);
    length += to - from;
  }
  return bytes.subarray(0, length);
}
