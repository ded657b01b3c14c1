import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "../../errors.ts";

const WINDOW_MS = 60_000;
/** Wrong keys within the window after which no more are looked at. */
const FAILURES_MAX = 10;
const FIRST_DELAY_MS = 100;
const DELAY_MS_MAX = 2_000;

/**
 * Slows wrong keys down, each longer than the one before, and then refuses them for a while. A right key is never held
 * up: who knows none can otherwise lock out everybody.
 */
export class FailedLogins {
  #times: number[] = [];

  /** Notes a wrong key and waits. @throws GatewayError `rate_limited` once there were too many. */
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
