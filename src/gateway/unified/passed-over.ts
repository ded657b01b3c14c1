import { Refused } from "../refusal.ts";

/**
 * Of the reasons why targets were passed over, the one for the client: the limit that has room first, because waiting
 * helps; else what was wrong with the first target.
 */
export function moreTelling(before: unknown, next: unknown): unknown {
  const nextSeconds = waitOf(next);
  if (before === undefined || nextSeconds < waitOf(before)) return next;
  return before;
}

/** Seconds that a spent limit asks for; endless for every other reason. */
function waitOf(error: unknown): number {
  if (!(error instanceof Refused) || error.refusal.status !== 429) return Number.POSITIVE_INFINITY;
  const seconds = Number(error.refusal.headers?.["Retry-After"]);
  return Number.isFinite(seconds) ? seconds : Number.MAX_SAFE_INTEGER;
}
