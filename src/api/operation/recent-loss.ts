/** How long a loss is reported after it was seen: long enough for monitoring to notice; the counter keeps it. */
const REPORTED_MS = 60 * 60_000;

/** Whether there were recent losses, from their count since the start. */
export class RecentLoss {
  #count = 0;
  #seenMs = 0;

  /** @param nowMs - milliseconds of a monotonic clock. */
  isRecent(count: number, nowMs: number): boolean {
    if (count > this.#count) this.#seenMs = nowMs;
    this.#count = count;
    return count > 0 && nowMs - this.#seenMs < REPORTED_MS;
  }
}
