/**
 * Finds values in JSON text without parsing them: the text is more exact than the value, because a double cannot
 * represent every number. It expects text that `JSON.parse` has accepted, so it only has to find where values end.
 */

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

/** The members of the object that begins at `at`: name to the JSON text of the value; for a duplicate name the last one. */
export function readMembers(text: string, at = 0): Map<string, string> {
  const members = new Map<string, string>();
  let next = skipSpace(text, skipSpace(text, at) + 1);
  while (text.charCodeAt(next) === QUOTE) {
    const nameEnd = skipString(text, next);
    const valueAt = skipSpace(text, skipSpace(text, nameEnd) + 1);
    const valueEnd = skipValue(text, valueAt);
    members.set(unquoted(text.slice(next, nameEnd)), text.slice(valueAt, valueEnd));
    next = skipSpace(text, valueEnd);
    if (text.charCodeAt(next) === COMMA) next = skipSpace(text, next + 1);
  }
  return members;
}

/** The texts of the elements of a list. */
export function* elementsOf(list: string): Generator<string> {
  let at = skipSpace(list, skipSpace(list, 0) + 1);
  while (at < list.length && list.charCodeAt(at) !== CLOSE_LIST) {
    const end = skipValue(list, at);
    yield list.slice(at, end);
    at = skipSpace(list, end);
    if (list.charCodeAt(at) === COMMA) at = skipSpace(list, at + 1);
  }
}

/** The same JSON without white space. */
export function withoutSpace(text: string): string {
  let compact = "";
  for (let from = skipSpace(text, 0); from < text.length; ) {
    let end = from;
    while (text.charCodeAt(end) > SPACE) end = text.charCodeAt(end) === QUOTE ? skipString(text, end) : end + 1;
    compact += text.slice(from, end);
    from = skipSpace(text, end);
  }
  return compact;
}

export function skipSpace(text: string, at: number): number {
  let next = at;
  while (text.charCodeAt(next) <= SPACE) next++;
  return next;
}

/** @returns the index after the closing quote. */
export function skipString(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return end + 1;
  }
  return text.length;
}

/** @returns the index after the value. */
export function skipValue(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (first === QUOTE) return skipString(text, at);
  if (first !== OPEN_OBJECT && first !== OPEN_LIST) return skipWord(text, at);
  let next = at;
  let depth = 0;
  while (next < text.length) {
    const code = text.charCodeAt(next);
    if (code === QUOTE) next = skipString(text, next);
    else {
      next++;
      if (code === OPEN_OBJECT || code === OPEN_LIST) depth++;
      else if ((code === CLOSE_OBJECT || code === CLOSE_LIST) && --depth === 0) return next;
    }
  }
  return next;
}

/** A number, `true`, `false` or `null`. */
function skipWord(text: string, at: number): number {
  let next = at;
  for (let code = text.charCodeAt(next); next < text.length; code = text.charCodeAt(++next)) {
    if (code === COMMA || code === CLOSE_OBJECT || code === CLOSE_LIST || code <= SPACE) return next;
  }
  return next;
}

function unquoted(text: string): string {
  return text.includes("\\") ? (JSON.parse(text) as string) : text.slice(1, -1);
}
