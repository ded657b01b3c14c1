const FIRST_MS = 1_000;
/** The longest that is waited between two attempts. */
export const MOST_MS = 3_600_000;

/**
 * When something that was not taken is sent again: after 1, 2, 4, … seconds, at most an hour, less up to half of it by
 * chance, so that what failed together does not come back together; never before the receiver asked for it.
 *
 * @param attempts - that were made, at least 1.
 * @returns milliseconds since 1970, or undefined where that is after `endsAt`.
 */
export function nextAttempt(
  attempts: number,
  {
    now,
    endsAt,
    askedMs = 0,
    random = Math.random,
  }: { now: number; endsAt: number; askedMs?: number; random?: () => number },
): number | undefined {
  const pause = Math.min(FIRST_MS * 2 ** (attempts - 1), MOST_MS);
  const at = now + Math.max(pause * (1 - random() / 2), Math.min(askedMs, MOST_MS));
  return at > endsAt ? undefined : Math.round(at);
}
