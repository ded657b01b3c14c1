/** The wait in milliseconds that a server requests, by `Retry-After` or the more exact `retry-after-ms`; raw pairs. */
export function retryAfterMs(headers: readonly string[]): number | undefined {
  let found: number | undefined;
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]!.toLowerCase();
    const value = headers[at + 1]!;
    if (name === "retry-after-ms" && /^\d+(?:\.\d+)?$/.test(value.trim())) return Number(value);
    if (name === "retry-after") found = readRetryAfter(value, Date.now()) ?? found;
  }
  return found;
}

/** `Retry-After` (RFC 9110 §10.2.3) in milliseconds from now: seconds or an HTTP date; undefined when it is neither. */
export function readRetryAfter(header: string, nowMs: number): number | undefined {
  const text = header.trim();
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text) * 1000;
  const at = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
