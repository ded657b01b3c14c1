import type { StreamEvent } from "../../plugin-host/contract.ts";
import { isObject } from "../json.ts";
import { firstInked, parseJson } from "./json.ts";

/**
 * The elements of a JSON array that a provider streamed. If the end of the array is missing, all complete elements.
 *
 * @returns undefined if `text` is not an array of objects.
 */
export function readJsonArray(text: string): StreamEvent[] | undefined {
  const start = firstInked(text);
  if (text[start] !== "[") return undefined;
  const whole = parseJson(text);
  if (Array.isArray(whole)) return whole.every(isObject) ? whole.map((data) => ({ data })) : undefined;
  const elements = wholeElements(text, start + 1).map((element) => parseJson(element));
  if (elements.length === 0 || !elements.every(isObject)) return undefined;
  return elements.map((data) => ({ data }));
}

/** Texts of the complete objects, found by counting brackets outside of strings. */
function wholeElements(text: string, from: number): string[] {
  const elements: string[] = [];
  let depth = 0;
  let start = -1;
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === "{" || character === "[") {
      if (depth++ === 0) start = at;
    } else if (character === "}" || character === "]") {
      if (--depth < 0) break;
      if (depth === 0) elements.push(text.slice(start, at + 1));
    }
  }
  return elements;
}

function endOfString(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at;
  }
  return text.length;
}
