/** How long a server asks to be left alone, by `Retry-After` in seconds or as a date, or by `retry-after-ms`; raw pairs. */
export function retryAfterMs(headers: readonly string[]): number | undefined {
  let found: number | undefined;
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]!.toLowerCase();
    const value = headers[at + 1]!.trim();
    if (name === "retry-after-ms" && /^\d+(?:\.\d+)?$/.test(value)) return Number(value);
    if (name !== "retry-after") continue;
    if (/^\d+(?:\.\d+)?$/.test(value)) found = Number(value) * 1_000;
    else if (!Number.isNaN(Date.parse(value))) found = Math.max(0, Date.parse(value) - Date.now());
  }
  return found;
}
