import { GatewayError } from "../../errors.ts";

/**
 * How slowly a body may arrive. A body that is never complete would keep its bytes in memory, also without a key: the
 * log-in takes a body from everybody.
 */
interface Pace {
  /** Longest pause before the next bytes, and the time that each body has in addition to that of its bytes. */
  readonly idleMs: number;
  readonly leastBytesPerSecond: number;
}

export const PACE: Pace = { idleMs: 30_000, leastBytesPerSecond: 1_000 };

/** Limits the reads of one body. */
export class PacedReads {
  readonly #pace: Pace;
  readonly #startedMs = performance.now();

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  /**
   * @param bytes - that have arrived.
   * @throws GatewayError `body_too_slow` if the next ones do not arrive in time.
   */
  async next<T>(read: Promise<T>, bytes: number): Promise<T> {
    const { idleMs, leastBytesPerSecond } = this.#pace;
    const wholeMs = idleMs + (bytes / leastBytesPerSecond) * 1_000;
    const leftMs = Math.min(idleMs, wholeMs - (performance.now() - this.#startedMs));
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new GatewayError("body_too_slow")), Math.max(0, leftMs));
    return Promise.race([read, late]).finally(() => clearTimeout(timer));
  }
}
