/** A member of a JSON object, as it stands in the text. */
export interface MemberSpan {
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
 * Where the members of a JSON object stand in its bytes. It looks at each byte once and builds nothing of the values, so
 * that a body of any size is passed on with another model and no other change.
 *
 * @returns undefined where `given` is not an object. Values are not checked: who parses them says what is wrong.
 */
export function topLevelMembers(given: Uint8Array): MemberSpan[] | undefined {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
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
 * A JSON object with other values of some members, and without some. What is not named stays as it was, byte by byte.
 *
 * @param set - JSON texts by name; a member that is not there is added at the end. All members of one name are set.
 */
export function withMembers(
  bytes: Uint8Array,
  set: Readonly<Record<string, string>>,
  removed: ReadonlySet<string> = new Set(),
): Uint8Array | undefined {
  const members = topLevelMembers(bytes);
  if (members === undefined) return undefined;
  const pieces: Uint8Array[] = [];
  let from = 0;
  const kept = members.filter(({ name }) => !removed.has(name));
  const missing = Object.keys(set).filter((name) => !kept.some((member) => member.name === name));
  for (const [place, member] of members.entries()) {
    if (removed.has(member.name)) {
      pieces.push(bytes.subarray(from, member.start));
      // The comma goes with the member: the one behind it, or before it where it is the last.
      from = members[place + 1]?.start ?? member.end;
    } else if (Object.hasOwn(set, member.name)) {
      pieces.push(bytes.subarray(from, member.valueStart), Buffer.from(set[member.name]!));
      from = member.end;
    }
  }
  pieces.push(bytes.subarray(from));
  const changed = Buffer.concat(pieces);
  return tidied(changed, kept.length > 0, members, removed, set, missing);
}

/** Takes a comma away that stands before the end, and adds members there. */
function tidied(
  changed: Buffer,
  hasMembers: boolean,
  members: readonly MemberSpan[],
  removed: ReadonlySet<string>,
  set: Readonly<Record<string, string>>,
  missing: readonly string[],
): Uint8Array {
  const close = changed.lastIndexOf(CLOSE_OBJECT);
  let end = close;
  if (members.length > 0 && removed.has(members.at(-1)!.name)) {
    end = trimmedEnd(changed, close);
    if (changed[end - 1] === COMMA) end--;
  }
  if (missing.length === 0)
    return end === close ? changed : Buffer.concat([changed.subarray(0, end), changed.subarray(close)]);
  const added = missing.map((name) => `${JSON.stringify(name)}:${set[name]}`).join(",");
  return Buffer.concat([
    changed.subarray(0, end),
    Buffer.from(hasMembers ? `,${added}` : added),
    changed.subarray(close),
  ]);
}

function trimmedEnd(bytes: Uint8Array, end: number): number {
  let at = end;
  while (at > 0 && isSpace(bytes[at - 1]!)) at--;
  return at;
}

const isSpace = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && isSpace(bytes[at]!)) at++;
  return at;
}

/** @returns the place behind the closing quote. */
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

function nameOf(bytes: Buffer, start: number, end: number): string | undefined {
  const text = bytes.toString("latin1", start + 1, end - 1);
  if (PLAIN.test(text)) return text;
  try {
    return JSON.parse(bytes.toString("utf8", start, end));
  } catch {
    return undefined;
  }
}

/** A name that is the same in every encoding, without escapes. */
const PLAIN = /^[\w.-]*$/;
