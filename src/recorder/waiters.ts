import { GatewayError } from "../errors.ts";
import type { Position } from "../spool/frame.ts";
import { isBefore } from "./assemble.ts";

interface Waiter {
  readonly target: Position;
  readonly run: () => Promise<void>;
}

/**
 * What waits until the spool is read and committed up to some place, in the order of arrival.
 *
 * Everything here runs between two batches, never during one: so it sees and changes the database alone.
 */
export class Waiters {
  readonly #waiting: Waiter[] = [];

  get size(): number {
    return this.#waiting.length;
  }

  /**
   * Runs `work` once everything before `target` is committed.
   *
   * @throws GatewayError `database_unavailable` after `limitMs`; `work` is then not begun any more.
   */
  add<T>(target: Position, limitMs: number, work: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const waiter: Waiter = {
      target,
      run: async () => {
        clearTimeout(timer);
        await work().then(resolve, reject);
      },
    };
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
      reject(new GatewayError("database_unavailable", `the recorder did not catch up within ${limitMs} ms`));
    }, limitMs);
    this.#waiting.push(waiter);
    return promise;
  }

  /** Runs those whose target is reached: everything before `read` is committed, or everything there was at `atEnd`. */
  async settle(read: Position, atEnd: number): Promise<void> {
    // Those that came while the batch was under way may want frames that came with them.
    for (let checked = 0; this.#waiting.length > 0 && checked < atEnd; checked++) {
      const [first] = this.#waiting as [Waiter];
      this.#waiting.shift();
      await first.run();
    }
    while (this.#waiting.length > 0 && !isBefore(read, this.#waiting[0]!.target)) await this.#waiting.shift()!.run();
  }
}
