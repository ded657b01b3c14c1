import { bufferOf, type Edit, edited } from "../json-text/edits.ts";

/** A member of a JSON object, with its position in the text. */
interface MemberSpan {
  readonly name: string;
  /** From the quote of the name. */
  readonly start: number;
  readonly valueStart: number;
  readonly end: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

/**
 * The positions of a JSON object's members in its bytes. It reads each byte once and creates no values, so that a body of
 * any size can be passed on with only its model changed.
 *
 * @returns undefined if `given` is not an object. Values are not checked: their parser reports errors.
 */
export function topLevelMembers(given: Uint8Array): MemberSpan[] | undefined {
  const bytes = bufferOf(given);
  let at = skipSpace(bytes, 0);
  if (bytes[at] !== OPEN_OBJECT) return undefined;
  const members: MemberSpan[] = [];
  at = skipSpace(bytes, at + 1);
  if (bytes[at] === CLOSE_OBJECT) return members;
  for (;;) {
    if (bytes[at] !== QUOTE) return undefined;
    const nameEnd = skipString(bytes, at);
    const colon = skipSpace(bytes, nameEnd);
    if (bytes[colon] !== COLON) return undefined;
    const valueStart = skipSpace(bytes, colon + 1);
    const end = skipValue(bytes, valueStart);
    const name = nameOf(bytes, at, nameEnd);
    if (end === valueStart || name === undefined) return undefined;
    members.push({ name, start: at, valueStart, end });
    at = skipSpace(bytes, end);
    if (bytes[at] === CLOSE_OBJECT) return members;
    if (bytes[at] !== COMMA) return undefined;
    at = skipSpace(bytes, at + 1);
  }
}

/**
 * Sets and removes members of a JSON object. Other members stay byte for byte.
 *
 * @param set - JSON texts by name; a missing member is added at the end. All members with one name are set.
 * @returns undefined if `bytes` is not an object.
 */
export function withMembers(
  bytes: Uint8Array,
  set: Readonly<Record<string, string>>,
  removed: ReadonlySet<string> = NONE,
): Uint8Array | undefined {
  const edits = memberEdits(bytes, set, removed);
  return edits && edited(bytes, edits);
}

/** The edits that `withMembers` makes, in order of position; undefined if `bytes` is not an object. */
export function memberEdits(
  bytes: Uint8Array,
  set: Readonly<Record<string, string>>,
  removed: ReadonlySet<string> = NONE,
): Edit[] | undefined {
  const members = topLevelMembers(bytes);
  if (members === undefined) return undefined;
  const edits: Edit[] = [];
  /** The position after the last kept member, and after all earlier edits. */
  let kept: number | undefined;
  for (let place = 0; place < members.length; place++) {
    const { name, start, valueStart, end } = members[place]!;
    if (!removed.has(name)) {
      kept = end;
      if (Object.hasOwn(set, name)) edits.push({ from: valueStart, to: end, text: set[name]! });
      // The comma belongs to the member: the one after it, or before it if it is the last.
    } else if (place + 1 < members.length) edits.push({ from: start, to: members[place + 1]!.start, text: "" });
  }
  const close = bytes.lastIndexOf(CLOSE_OBJECT);
  const isLastRemoved = members.length > 0 && removed.has(members.at(-1)!.name);
  const from = isLastRemoved ? (kept ?? members[0]!.start) : close;
  while (isLastRemoved && edits.length > 0 && edits.at(-1)!.from >= from) edits.pop();
  let added = "";
  for (const name of Object.keys(set)) {
    if (!removed.has(name) && members.some((member) => member.name === name)) continue;
    added += `${added === "" ? "" : ","}${JSON.stringify(name)}:${set[name]}`;
  }
  const text = kept !== undefined && added !== "" ? `,${added}` : added;
  if (from < close || text !== "") edits.push({ from, to: close, text });
  return edits;
}

const NONE: ReadonlySet<string> = new Set();

const isSpace = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && isSpace(bytes[at]!)) at++;
  return at;
}

/** @returns the position after the closing quote. */
function skipString(bytes: Uint8Array, from: number): number {
  let at = from + 1;
  for (;;) {
    // Native search: most of a large body is text.
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0) return bytes.length;
    let slashes = 0;
    while (bytes[quote - 1 - slashes] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

function skipValue(bytes: Uint8Array, from: number): number {
  let depth = 0;
  let at = from;
  while (at < bytes.length) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      at = skipString(bytes, at);
      if (depth === 0) return at;
      continue;
    }
    if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      if (depth === 0) return at;
      if (--depth === 0) return at + 1;
    } else if (depth === 0 && (byte === COMMA || isSpace(byte))) return at;
    at++;
  }
  return at;
}

/** Names that most requests have, by length: they are compared where they are, without a new string. */
const USUAL = byLength([
  ...["model", "messages", "stream", "max_tokens", "temperature", "tools", "tool_choice", "stream_options", "user"],
  ...["max_completion_tokens", "response_format", "reasoning_effort", "parallel_tool_calls", "top_p", "stop", "seed"],
  ...["input", "instructions", "store", "include", "reasoning", "text", "prompt_cache_key", "system", "metadata"],
  ...["thinking", "contents", "generationConfig", "systemInstruction", "safetySettings", "toolConfig"],
]);

function byLength(names: readonly string[]): readonly (readonly string[] | undefined)[] {
  const longest = Math.max(...names.map(({ length }) => length));
  return Array.from({ length: longest + 1 }, (_, length) => names.filter((name) => name.length === length));
}

function isAt(name: string, bytes: Buffer, start: number): boolean {
  for (let at = 0; at < name.length; at++) if (bytes[start + at] !== name.charCodeAt(at)) return false;
  return true;
}

function nameOf(bytes: Buffer, start: number, end: number): string | undefined {
  for (const name of USUAL[end - start - 2] ?? NO_NAMES) if (isAt(name, bytes, start + 1)) return name;
  const text = bytes.toString("latin1", start + 1, end - 1);
  if (PLAIN.test(text)) return text;
  try {
    return JSON.parse(bytes.toString("utf8", start, end));
  } catch {
    return undefined;
  }
}

const NO_NAMES: readonly string[] = [];

/** A name with the same bytes in every encoding, without escapes. */
const PLAIN = /^[\w.-]*$/;
