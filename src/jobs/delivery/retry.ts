const FIRST_MS = 1_000;
/** The longest wait between two attempts. */
export const MOST_MS = 3_600_000;

/**
 * The time of the next attempt: after 1, 2, 4, … seconds, at most an hour, minus a random part of up to
 * half, so that failures do not retry together; never before the receiver's `Retry-After`.
 *
 * @param attempts - number of attempts so far, at least 1.
 * @returns milliseconds since 1970, or undefined if that is after `endsAt`.
 */
export function nextAttempt(
  attempts: number,
  {
    now,
    endsAt,
    retryAfterMs = 0,
    random = Math.random,
  }: { now: number; endsAt: number; retryAfterMs?: number; random?: () => number },
): number | undefined {
  const pause = Math.min(FIRST_MS * 2 ** (attempts - 1), MOST_MS);
  const at = now + Math.max(pause * (1 - random() / 2), Math.min(retryAfterMs, MOST_MS));
  return at > endsAt ? undefined : Math.round(at);
}
