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
  const whole = text.startsWith("\uFEFF") ? text.slice(1) : text;
  // Lines end with CR, LF or CRLF, in any mixture.
  const lines = whole.includes("\r") ? whole.replaceAll(/\r\n?/g, "\n") : whole;
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
  const { length } = lines;
  let colon = -1;
  for (let start = 0; start < length; ) {
    const newline = lines.indexOf("\n", start);
    const end = newline === -1 ? length : newline;
    // The next colon is searched for once, however many lines are before it.
    if (colon < start) colon = lines.indexOf(":", start);
    if (colon === -1) colon = length;
    const hasColon = colon < end;
    if (end === start) dispatch();
    else if (colon !== start) {
      // A line that begins with a colon is a comment.
      const field = lines.slice(start, hasColon ? colon : end);
      const value = hasColon ? lines.slice(lines[colon + 1] === " " ? colon + 2 : colon + 1, end) : "";
      if (field === "data") data = data === undefined ? value : `${data}\n${value}`;
      else if (field === "event") name = value;
    }
    start = end + 1;
  }
  dispatch();
  // A piece of text may look like JSON, such as `42` or `{}`; other providers that use this event name always send objects.
  if (outputs.some(({ at }) => !isObject(events[at]!.data)))
    for (const { at, text } of outputs) events[at] = { name: OUTPUT, data: text };
  return events;
}
