import type { RawHeaders } from "../spool/frame.ts";

/** The last value of a header as UTF-8, with invalid bytes as U+FFFD; undefined if missing. `name` is lower case. */
export function headerValue(headers: RawHeaders, name: string): string | undefined {
  for (let at = headers.length - 2; at >= 0; at -= 2) {
    const each = headers[at]!;
    if (each.length === name.length && each.toLowerCase() === name) return fromLatin1(headers[at + 1] ?? "");
  }
  return undefined;
}

/** Header values arrive as Latin-1, one character per byte; clients mean UTF-8. */
export function fromLatin1(value: string): string {
  return /[^\x00-\x7f]/.test(value) ? Buffer.from(value, "latin1").toString("utf8") : value;
}

/** As a `Headers` object, for provider plugins; pairs that are invalid in HTTP are omitted. */
export function toHeaders(raw: RawHeaders): Headers {
  const headers = new Headers();
  for (let at = 0; at < raw.length; at += 2) {
    try {
      headers.append(raw[at]!, raw[at + 1] ?? "");
    } catch {
      // Invalid in HTTP: providers need not see it.
    }
  }
  return headers;
}
