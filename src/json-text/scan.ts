/**
 * Finds values in JSON text without parsing them. The text is more exact than the value, because a double cannot represent
 * every number and an object keeps only one of several members with the same name.
 *
 * The functions expect text that a parser has accepted or will read later, so they only find where values end.
 */
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
export const OPEN_LIST = 0x5b;
export const CLOSE_LIST = 0x5d;

const SPACE = 0x20;
const BACKSLASH = 0x5c;
/** The only bit in which `[` and `{`, `]` and `}` differ. */
export const CASE = 0x20;

/** @returns the index of the first character that is not JSON white space. */
export function skipSpace(text: string, at: number): number {
  return text.charCodeAt(at) > SPACE ? at : skipMore(text, at);
}

/** Separate, so that the usual case without white space is small enough to be inlined. */
function skipMore(text: string, at: number): number {
  let next = at;
  for (let code = text.charCodeAt(next); code <= SPACE; code = text.charCodeAt(++next)) {
    if (code !== SPACE && code !== 0x0a && code !== 0x0d && code !== 0x09) return next;
  }
  return next;
}

/** @returns the index after the closing quote of the string that begins at `at`, or -1 if there is none. */
export function stringEnd(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return end + 1;
  }
  return -1;
}

/** @returns the index after the string, or the end of the text if it is cut off. */
export function skipString(text: string, at: number): number {
  const end = stringEnd(text, at);
  return end < 0 ? text.length : end;
}

/** @returns the index after the value; `at` itself if there is none. */
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
      if ((code | CASE) === OPEN_OBJECT) depth++;
      else if ((code | CASE) === CLOSE_OBJECT && --depth === 0) return next;
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
