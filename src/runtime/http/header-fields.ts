const FIELD_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const names = new Map<string, string>();
const NAMES_MAX = 5_000;

/** Line ends that are not both bytes. */
export const BARE_LINE_END = /\r(?!\n)|(?<!\r)\n/;
/** These and control bytes: nothing of the kind may stand in a header, a chunk line or a trailer. */
export const MALFORMED = new RegExp(`[\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f]|${BARE_LINE_END.source}`);

/** What the header fields of a message say about its body's length and its connection. */
export class Framing {
  length: number | undefined;
  /** There is a `Transfer-Encoding`; `chunked` where it is that and nothing else. */
  encoded = false;
  chunked = false;
  close = false;
}

/** What is wrong with a message, as the error that its reader throws. */
export type Fault = (why: string) => Error;

/**
 * Header lines of `text` from `start` on, as raw pairs into `headers`. `text` is Latin-1 and not MALFORMED.
 *
 * @throws what `fault` makes, where a line is no field or a length is not beyond doubt.
 */
export function readFields(text: string, start: number, headers: string[], fault: Fault): Framing {
  const framing = new Framing();
  for (let at = start; at <= text.length; ) {
    let end = text.indexOf("\r\n", at);
    if (end < 0) end = text.length;
    const colon = text.indexOf(":", at);
    if (colon <= at || colon > end) throw fault("a header field has no name");
    const name = text.slice(at, colon);
    const lower = lowerName(name, fault);
    const value = trimmed(text, colon + 1, end);
    headers.push(name, value);
    if (lower === "content-length") readLength(framing, value, fault);
    else if (lower === "transfer-encoding") {
      framing.chunked = !framing.encoded && value.toLowerCase() === "chunked";
      framing.encoded = true;
    } else if (lower === "connection" && /(?:^|,)\s*close\s*(?:,|$)/i.test(value)) framing.close = true;
    at = end + 2;
  }
  return framing;
}

/** Whether a line of trailers could be one. */
export function isField(line: string): boolean {
  return !MALFORMED.test(line) && FIELD_NAME.test(line.slice(0, Math.max(0, line.indexOf(":"))));
}

function readLength(framing: Framing, value: string, fault: Fault): void {
  const length = /^\d{1,15}$/.test(value) ? Number(value) : undefined;
  if (length === undefined || (framing.length !== undefined && framing.length !== length))
    throw fault("its Content-Length cannot be read");
  framing.length = length;
}

/** A name in lower case, checked; names are few and come again. */
function lowerName(name: string, fault: Fault): string {
  const known = names.get(name);
  if (known !== undefined) return known;
  if (!FIELD_NAME.test(name)) throw fault("a header field has no name that could be one");
  const lower = name.toLowerCase();
  if (names.size < NAMES_MAX) names.set(name, lower);
  return lower;
}

function trimmed(text: string, start: number, end: number): string {
  let from = start;
  let to = end;
  while (from < to && isBlank(text.charCodeAt(from))) from++;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--;
  return text.slice(from, to);
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}
