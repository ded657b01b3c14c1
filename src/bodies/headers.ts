import type { RawHeaders } from "../spool/frame.ts";

/** The last value of a header, UTF-8 with faulty bytes as U+FFFD; undefined where it is missing. `name` in lower case. */
export function headerValue(headers: RawHeaders, name: string): string | undefined {
  for (let at = headers.length - 2; at >= 0; at -= 2) {
    const each = headers[at]!;
    if (each.length === name.length && each.toLowerCase() === name) return fromLatin1(headers[at + 1] ?? "");
  }
  return undefined;
}

/** All values of a header, joined as HTTP joins them. */
export function joinedValue(headers: RawHeaders, name: string): string | undefined {
  let joined: string | undefined;
  for (let at = 0; at < headers.length; at += 2) {
    const each = headers[at]!;
    if (each.length !== name.length || each.toLowerCase() !== name) continue;
    joined = joined === undefined ? headers[at + 1] : `${joined}, ${headers[at + 1]}`;
  }
  return joined;
}

/** Header values cross the wire as bytes and reach us as Latin-1; what clients mean is UTF-8. */
export function fromLatin1(value: string): string {
  return /[^\x00-\x7f]/.test(value) ? Buffer.from(value, "latin1").toString("utf8") : value;
}

/** As a `Headers` object, for provider plugins; a pair that HTTP does not allow is left out. */
export function toHeaders(raw: RawHeaders): Headers {
  const headers = new Headers();
  for (let at = 0; at < raw.length; at += 2) {
    try {
      headers.append(raw[at]!, raw[at + 1] ?? "");
    } catch {
      // Not a pair that HTTP allows: there is nothing in it for a provider to read.
    }
  }
  return headers;
}
