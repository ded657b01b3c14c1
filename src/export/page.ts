import { EXPIRING } from "./columns.ts";

/**
 * A record as one line of JSON: what the service sent, less the members that expire.
 *
 * Text and not values, because `JSON.parse` followed by `JSON.stringify` changes numbers that a double cannot hold, and
 * because it takes a tenth of the memory.
 */
export type Row = string;

export interface Page {
  readonly rows: readonly Row[];
  /** Null after the last row. */
  readonly nextCursor: string | null;
}

/** An answer with status 200 that is not what was asked for: cut off, no JSON, no envelope. It is asked for again. */
export class UnreadableAnswer extends Error {
  override readonly name = "UnreadableAnswer";
}

/**
 * Reads the envelope of a query endpoint.
 *
 * @param limit - rows that were asked for; more than that is not an answer to our question.
 * @throws UnreadableAnswer
 */
export function readPage(text: string, limit: number): Page {
  const envelope = readEnvelope(text);
  if (!Array.isArray(envelope.data) || !envelope.data.every(isObject)) {
    throw new UnreadableAnswer("`data` is not a list of records");
  }
  const nextCursor = envelope["next_cursor"] ?? null;
  if (nextCursor !== null && typeof nextCursor !== "string") throw new UnreadableAnswer("`next_cursor` is not text");
  if (envelope.data.length > limit) throw new UnreadableAnswer("more records than were asked for");
  if (envelope.data.length === 0 && nextCursor !== null && limit > 0) {
    throw new UnreadableAnswer("a page without records that is not the last one");
  }
  // A line break outside a string would break a record over two lines of the output.
  const compact = text.includes("\n") ? JSON.stringify(envelope) : text;
  const list = readMembers(compact, skipSpace(compact, 0)).get("data") ?? "[]";
  return { rows: readRows(list), nextCursor };
}

/** Parses an answer and checks that it is an envelope without an error in it. */
export function readEnvelope(text: string): { readonly data: unknown; readonly [name: string]: unknown } {
  let envelope: unknown;
  try {
    envelope = JSON.parse(text);
  } catch (cause) {
    throw new UnreadableAnswer("not JSON, or cut off", { cause });
  }
  if (!isObject(envelope) || !Object.hasOwn(envelope, "data")) throw new UnreadableAnswer("no envelope with `data`");
  if (envelope["error"] !== null && envelope["error"] !== undefined) {
    throw new UnreadableAnswer(
      `an error in an answer with status 200: ${JSON.stringify(envelope["error"]).slice(0, 80)}`,
    );
  }
  return { ...envelope, data: envelope["data"] };
}

/** The members of a record: name to the JSON text of the value. */
export function membersOf(row: Row): ReadonlyMap<string, string> {
  return readMembers(row, 0);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @param list - a JSON array of objects that `JSON.parse` has accepted. */
function readRows(list: string): Row[] {
  const rows: Row[] = [];
  let at = skipSpace(list, 1);
  while (list.charCodeAt(at) === OPEN_OBJECT) {
    const { row, end } = readRow(list, at);
    rows.push(row);
    at = skipSpace(list, end);
    if (list.charCodeAt(at) === COMMA) at = skipSpace(list, at + 1);
  }
  return rows;
}

/** Copies an object without the members that expire, in as few pieces as possible: there are two of them among fifty. */
function readRow(text: string, at: number): { row: Row; end: number } {
  const pieces: string[] = [];
  let piece: number | undefined;
  let pieceEnd = 0;
  const end = eachMember(text, at, (name, nameAt, _valueAt, valueEnd) => {
    if (!EXPIRING.has(name)) {
      piece ??= nameAt;
      pieceEnd = valueEnd;
    } else if (piece !== undefined) {
      pieces.push(text.slice(piece, pieceEnd));
      piece = undefined;
    }
  });
  if (piece !== undefined) pieces.push(text.slice(piece, pieceEnd));
  return { row: `{${pieces.join(",")}}`, end };
}

/** @param at - index of the opening brace. */
function readMembers(text: string, at: number): Map<string, string> {
  const members = new Map<string, string>();
  eachMember(text, at, (name, _nameAt, valueAt, valueEnd) => members.set(name, text.slice(valueAt, valueEnd)));
  return members;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

/**
 * Finds the members of an object without reading their values.
 *
 * The text has passed `JSON.parse`, so this only has to find where things end.
 *
 * @param at - index of the opening brace.
 * @returns the index after the closing brace.
 */
function eachMember(
  text: string,
  at: number,
  visit: (name: string, nameAt: number, valueAt: number, valueEnd: number) => void,
): number {
  let next = skipSpace(text, at + 1);
  while (text.charCodeAt(next) === QUOTE) {
    const nameEnd = skipString(text, next);
    const valueAt = skipSpace(text, skipSpace(text, nameEnd) + 1);
    const valueEnd = skipValue(text, valueAt);
    visit(unquoted(text.slice(next, nameEnd)), next, valueAt, valueEnd);
    next = skipSpace(text, valueEnd);
    if (text.charCodeAt(next) === COMMA) next = skipSpace(text, next + 1);
  }
  return next + 1;
}

function skipSpace(text: string, at: number): number {
  let next = at;
  while (text.charCodeAt(next) <= 0x20) next++;
  return next;
}

/** @returns the index after the closing quote. */
function skipString(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return end + 1;
  }
  return text.length;
}

function skipValue(text: string, at: number): number {
  let next = at;
  let depth = 0;
  while (next < text.length) {
    const code = text.charCodeAt(next);
    if (code === QUOTE) next = skipString(text, next);
    else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      depth++;
      next++;
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      if (depth === 0) return next; // the end of what this value stands in
      depth--;
      next++;
    } else if (depth === 0 && (code === COMMA || code <= 0x20)) return next;
    else next++;
    if (depth === 0 && (code === QUOTE || code === CLOSE_OBJECT || code === CLOSE_LIST)) return next;
  }
  return next;
}

function unquoted(text: string): string {
  return text.includes("\\") ? (JSON.parse(text) as string) : text.slice(1, -1);
}
