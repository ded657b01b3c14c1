/** How a client waits between attempts, and when it gives up. */
export interface Pace {
  readonly attemptsMax: number;
  /** Before the second attempt; doubles from there. */
  readonly firstDelayMs: number;
  readonly delayMsMax: number;
  /** The longest `Retry-After` that is obeyed. */
  readonly retryAfterMsMax: number;
  /** Without a byte for this long, a connection counts as broken. */
  readonly idleMsMax: number;
}

/** About a minute of attempts: longer than a restart of the service takes. */
export const PACE: Pace = {
  attemptsMax: 10,
  firstDelayMs: 500,
  delayMsMax: 15_000,
  retryAfterMsMax: 900_000,
  idleMsMax: 60_000,
};

/** Statuses of temporary failures. */
export function mayBeRetried(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/**
 * Milliseconds to wait after attempt number `attempt` (1 is the first) has failed.
 *
 * Half of it is random, so that many clients do not retry at the same moment after an outage.
 */
export function delayMs(pace: Pace, attempt: number, retryAfterMs: number | undefined): number {
  const full = Math.min(pace.delayMsMax, pace.firstDelayMs * 2 ** (attempt - 1));
  return Math.max(full * (0.5 + Math.random() / 2), retryAfterMs ?? 0);
}

/** Waits, or throws the signal's reason as soon as it is aborted. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const onAbort = () => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}
