import { GatewayError } from "../errors.ts";
import type { Position } from "../spool/frame.ts";
import { isBefore } from "../spool/position.ts";

interface Waiter {
  readonly target: Position;
  readonly run: () => Promise<void>;
}

/**
 * What waits until the spool is read and committed up to some place; where several places are reached, in the order of
 * arrival.
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

  /**
   * Runs those whose target is reached: everything before `read` is committed, or, of the first `atEnd`, everything
   * there was. Those that came while the batch was under way may want frames that came with them.
   */
  async settle(read: Position, atEnd: number): Promise<void> {
    const present = new Set(this.#waiting.slice(0, atEnd));
    for (let at = 0; at < this.#waiting.length; ) {
      const waiter = this.#waiting[at]!;
      if (!present.has(waiter) && isBefore(read, waiter.target)) at++;
      else {
        this.#waiting.splice(at, 1);
        await waiter.run();
      }
    }
  }
}
