/** Tolerated clock difference: headers have whole seconds, and responses take time. */
const BLUR_MS = 5_000;

/** How many milliseconds the service's clock is ahead of this machine's. */
let ahead = 0;

/** Updates the clock difference from a response's `Date` header. */
export function hear(headers: Headers, now: number = Date.now()): void {
  const there = Date.parse(headers.get("date") ?? "");
  if (!Number.isNaN(there)) ahead = Math.abs(there - now) < BLUR_MS ? 0 : there - now;
}

/** The time by the service's clock, which records use: "the last hour" means the service's, even if this machine's clock is wrong. */
export const serviceNow = (now: number = Date.now()): number => now + ahead;
