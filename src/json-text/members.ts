import { CLOSE_LIST, COMMA, QUOTE, skipSpace, skipString, skipValue } from "./scan.ts";

/** The members of an object: name to the JSON text of the value; the last one wins for a duplicate name. */
export function readMembers(text: string): Map<string, string> {
  const members = new Map<string, string>();
  let next = skipSpace(text, skipSpace(text, 0) + 1);
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
    while (text.charCodeAt(end) > 0x20) end = text.charCodeAt(end) === QUOTE ? skipString(text, end) : end + 1;
    compact += text.slice(from, end);
    from = skipSpace(text, end);
  }
  return compact;
}

function unquoted(text: string): string {
  return text.includes("\\") ? (JSON.parse(text) as string) : text.slice(1, -1);
}
