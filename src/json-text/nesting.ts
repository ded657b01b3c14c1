import { CASE, CLOSE_OBJECT, OPEN_OBJECT, QUOTE, skipString } from "./scan.ts";

/** Deeper JSON is not model traffic, and other parsers fail on it: Python's at about 1000 levels, including the envelope. */
const NESTING_MAX = 500;

/** Whether JSON text is nested deeper than `max` levels. Counts only brackets outside of strings; never throws. */
export function isTooDeep(json: string, max = NESTING_MAX): boolean {
  if (json.length <= max || !hasBrackets(json, max + 1)) return false;
  let depth = 0;
  for (let at = 0; at < json.length; ) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      at = skipString(json, at);
      continue;
    }
    if ((code | CASE) === OPEN_OBJECT) {
      depth++;
      if (depth > max) return true;
    } else if ((code | CASE) === CLOSE_OBJECT) depth--;
    at++;
  }
  return false;
}

/**
 * Whether a text has this many opening brackets, also within strings: few texts do, and this takes a tenth of the full
 * check.
 */
function hasBrackets(text: string, count: number): boolean {
  let left = count;
  for (const bracket of "{[") {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) if (--left === 0) return true;
  }
  return false;
}
