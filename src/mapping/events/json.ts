import type { Json } from "../../plugin-host/contract.ts";

/** The value of a JSON text of any depth; undefined if it is not JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads one JSON text; undefined if it is not JSON. */
export type ReadJson = (text: string) => Json | undefined;

/** The value if `text` is JSON, otherwise the text. */
export function jsonOrText(text: string, read: ReadJson = parseJson): Json {
  const first = text.charCodeAt(firstInked(text));
  return first === OBJECT || first === ARRAY || first === QUOTE ? (read(text) ?? text) : scalarOrText(text);
}

const OBJECT = 0x7b;
const ARRAY = 0x5b;
const QUOTE = 0x22;

/** Most texts are not JSON, and an exception for each would cost more than this check. */
function scalarOrText(text: string): Json {
  if (text.length > 40 || !/^\s*(?:true|false|null|-?\d[\d.eE+-]*)\s*$/.test(text)) return text;
  const value = parseJson(text);
  return value === undefined ? text : value;
}

/** Index of the first character that is not JSON white space. */
export function firstInked(text: string): number {
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) break;
    at++;
  }
  return at;
}
