import { CLOSE_LIST, CLOSE_OBJECT, COLON, COMMA, OPEN_LIST, OPEN_OBJECT, skipSpace, skipValue } from "./scan.ts";

const OPEN: ReadonlySet<number> = new Set([OPEN_OBJECT, OPEN_LIST]);
const CLOSE: ReadonlySet<number> = new Set([CLOSE_OBJECT, CLOSE_LIST]);
const SINGLE: ReadonlySet<number> = new Set([...OPEN, ...CLOSE, COLON, COMMA]);

/** JSON with one line per member. Its tokens stay as written: reformatting through a parser would round long numbers. */
export function indented(json: string): string {
  const parts: string[] = [];
  let depth = 0;
  let before = COLON;
  for (let at = skipSpace(json, 0); at < json.length; ) {
    const code = json.charCodeAt(at);
    const end = SINGLE.has(code) ? at + 1 : Math.max(at + 1, skipValue(json, at));
    const begins = OPEN.has(before);
    const ends = CLOSE.has(code);
    if (ends) depth--;
    if (ends ? !begins : begins || before === COMMA) parts.push("\n", "  ".repeat(depth));
    parts.push(code === COLON ? ": " : json.slice(at, end));
    if (OPEN.has(code)) depth++;
    before = code;
    at = skipSpace(json, end);
  }
  return parts.join("");
}
