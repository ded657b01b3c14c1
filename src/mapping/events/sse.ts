import type { StreamEvent } from "../../plugin-host/contract.ts";
import { isObject } from "../json.ts";
import { jsonOrText, type ReadJson } from "./json.ts";

/** Replicate's name for a piece of plain text. */
const OUTPUT = "output";

/**
 * The events of a `text/event-stream`, by the rules of the HTML standard, with two exceptions for careless providers: a last
 * event without its blank line counts, and `[DONE]` only ends the stream.
 *
 * @param text - decoded; may begin with a byte order mark.
 */
export function readSse(text: string, read?: ReadJson): StreamEvent[] {
  const events: StreamEvent[] = [];
  const outputs: { readonly at: number; readonly text: string }[] = [];
  let name: string | undefined;
  let data: string | undefined;
  const dispatch = () => {
    if (data !== undefined && data.trim() !== "[DONE]") {
      if (name === OUTPUT) outputs.push({ at: events.length, text: data });
      const value = jsonOrText(data, read);
      events.push(name === undefined || name === "" ? { data: value } : { name, data: value });
    }
    name = undefined;
    data = undefined;
  };
  for (const line of lines(text.startsWith("\uFEFF") ? text.slice(1) : text)) {
    if (line === "") {
      dispatch();
      continue;
    }
    const colon = line.indexOf(":");
    if (colon === 0) continue; // a comment
    const field = colon === -1 ? line : line.slice(0, colon);
    let value = colon === -1 ? "" : line.slice(colon + 1);
    if (value.startsWith(" ")) value = value.slice(1);
    if (field === "data") data = data === undefined ? value : `${data}\n${value}`;
    else if (field === "event") name = value;
  }
  dispatch();
  // A piece of text may look like JSON, such as `42` or `{}`; other providers that use this event name always send objects.
  if (outputs.some(({ at }) => !isObject(events[at]!.data)))
    for (const { at, text } of outputs) events[at] = { name: OUTPUT, data: text };
  return events;
}

/** Lines that end with CR, LF or CRLF, in any mixture. */
function* lines(text: string): Generator<string> {
  let start = 0;
  if (!text.includes("\r")) {
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      yield text.slice(start, end);
      start = end + 1;
    }
  } else {
    const ends = /\r\n|\r|\n/g;
    for (let match = ends.exec(text); match !== null; match = ends.exec(text)) {
      yield text.slice(start, match.index);
      start = ends.lastIndex;
    }
  }
  if (start < text.length) yield text.slice(start);
}
