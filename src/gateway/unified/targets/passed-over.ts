import { Refused } from "../../refusal.ts";

/**
 * Which of two reasons for skipping targets to report to the client: the limit that has room first, because waiting helps;
 * else the reason of the first target.
 */
export function betterReason(before: unknown, next: unknown): unknown {
  const nextSeconds = waitOf(next);
  if (before === undefined || nextSeconds < waitOf(before)) return next;
  return before;
}

/** Seconds until a spent limit has room; infinite for every other reason. */
function waitOf(error: unknown): number {
  if (!(error instanceof Refused) || error.refusal.status !== 429) return Number.POSITIVE_INFINITY;
  const seconds = Number(error.refusal.headers?.["Retry-After"]);
  return Number.isFinite(seconds) ? seconds : Number.MAX_SAFE_INTEGER;
}
