import type { StreamEvent } from "../../plugin-host/contract.ts";
import { jsonOrText, parseJson, type ReadJson } from "./json.ts";

/** One event per non-empty line; a truncated last line is kept as text. */
export function readNdjson(text: string, read?: ReadJson): StreamEvent[] {
  const events: StreamEvent[] = [];
  for (const line of text.split(/\r\n|\r|\n/)) {
    const trimmed = line.trim();
    if (trimmed !== "") events.push({ data: jsonOrText(trimmed, read) });
  }
  return events;
}

/** Whether `text` is two or more lines of JSON objects, regardless of its content type; checks only two lines. */
export function looksLikeNdjson(text: string): boolean {
  let start = 0;
  for (let seen = 0; seen < 2; ) {
    if (start >= text.length) return false;
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(start, end).trim();
    start = end + 1;
    if (line === "") continue;
    if (!line.startsWith("{") || !line.endsWith("}") || parseJson(line) === undefined) return false;
    seen++;
  }
  return true;
}
