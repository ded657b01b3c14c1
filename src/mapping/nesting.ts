/** Deeper JSON is not model traffic, and other parsers fail on it: Python's at about 1000, including the envelope. */
const NESTING_MAX = 500;

/** Whether JSON text is nested deeper than `NESTING_MAX`. Counts only brackets outside of strings; never throws. */
export function isTooDeep(json: string): boolean {
  if (json.length <= NESTING_MAX || !hasBrackets(json, NESTING_MAX + 1)) return false;
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = stringEnd(json, at);
    else if ((code | CASE) === OPEN) {
      depth++;
      if (depth > NESTING_MAX) return true;
    } else if ((code | CASE) === CLOSE) depth--;
  }
  return false;
}

/** Whether a text has this many opening brackets, also within strings: few do, and this takes a tenth of the full check. */
function hasBrackets(text: string, count: number): boolean {
  let left = count;
  for (const bracket of "{[") {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) if (--left === 0) return true;
  }
  return false;
}

/** The end of the string that begins at `start`. */
function stringEnd(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let before = end;
    while (json.charCodeAt(before - 1) === BACKSLASH) before--;
    if ((end - before) % 2 === 0) return end;
  }
  return json.length;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** `[` and `{`, `]` and `}` differ in this bit only. */
const CASE = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;
