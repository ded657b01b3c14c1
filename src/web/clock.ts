/** What a clock may be off before it is said to be: headers hold whole seconds, and answers take their time. */
const BLUR_MS = 5_000;

/** Milliseconds that the service's clock is ahead of this machine's. */
let ahead = 0;

/** Learns from a response of the service what time it is there. */
export function hear(headers: Headers, now: number = Date.now()): void {
  const there = Date.parse(headers.get("date") ?? "");
  if (!Number.isNaN(there)) ahead = Math.abs(there - now) < BLUR_MS ? 0 : there - now;
}

/** The time by the service's clock, which records bear: "the last hour" means its, also where this machine's is wrong. */
export const serviceNow = (now: number = Date.now()): number => now + ahead;
