/** Deeper JSON is no model's traffic, and readers of it give up: Python's at about 1000, with all that is around it. */
const NESTING_MAX = 500;

/** Whether JSON text is nested deeper than `NESTING_MAX`. Looks at brackets outside of strings only; never throws. */
export function isTooDeep(json: string): boolean {
  if (json.length <= NESTING_MAX) return false;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (inString) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if ((code | CASE) === OPEN) {
      depth++;
      if (depth > NESTING_MAX) return true;
    } else if ((code | CASE) === CLOSE) depth--;
  }
  return false;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** `[` and `{`, `]` and `}` differ in this bit only. */
const CASE = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;
