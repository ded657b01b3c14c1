import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "../../errors.ts";

const WINDOW_MS = 60_000;
/** Wrong keys within the window after which none are checked. */
const FAILURES_MAX = 10;
const FIRST_DELAY_MS = 100;
const DELAY_MS_MAX = 2_000;

/**
 * Delays wrong keys, each longer than the one before, then refuses them for a while. A valid key is never delayed: otherwise
 * anyone without a key could lock out all users.
 */
export class FailedKeys {
  #times: number[] = [];

  /** Records a wrong key and waits. @throws GatewayError `rate_limited` after too many. */
  async note(): Promise<void> {
    const now = performance.now();
    this.#times = this.#times.filter((time) => now - time < WINDOW_MS);
    if (this.#times.length >= FAILURES_MAX) {
      const seconds = Math.max(1, Math.ceil((this.#times[0]! + WINDOW_MS - now) / 1_000));
      throw new GatewayError("rate_limited", "too many wrong keys; wait before the next", {
        headers: { "retry-after": String(seconds) },
      });
    }
    this.#times.push(now);
    const delay = Math.min(DELAY_MS_MAX, FIRST_DELAY_MS * 2 ** (this.#times.length - 1));
    await sleep(delay);
  }
}
