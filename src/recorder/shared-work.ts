import { GatewayError } from "../errors.ts";
import type { Position } from "../spool/frame.ts";
import { isBefore } from "../spool/position.ts";

/** Work that is done together for several waiters. */
export interface Shared<Item, Result> {
  /** Maximum items per run. */
  readonly max: () => number;
  readonly work: (items: readonly Item[]) => Promise<readonly Result[]>;
}

interface Waiter {
  readonly target: Position;
  /** Consecutive waiters for the same work are served together. */
  readonly shared: Shared<unknown, unknown>;
  readonly item: unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  timer?: ReturnType<typeof setTimeout>;
}

/**
 * Work that waits until the spool is read and committed up to a position; if several positions are reached, it runs in order
 * of arrival.
 *
 * Everything here runs between two batches, never during one, so that it has the database to itself.
 */
export class SharedWork {
  readonly #waiting: Waiter[] = [];

  get size(): number {
    return this.#waiting.length;
  }

  /**
   * Runs `work` once everything before `target` is committed.
   *
   * @throws GatewayError `database_unavailable` after `limitMs`; `work` is then never started.
   */
  add<T>(target: Position, limitMs: number, work: () => Promise<T>): Promise<T> {
    const alone: Shared<undefined, T> = { max: () => 1, work: async () => [await work()] };
    return this.addTo(alone, undefined, target, limitMs);
  }

  /** Adds an item to shared work that runs once everything before `target` is committed. */
  addTo<Item, Result>(shared: Shared<Item, Result>, item: Item, target: Position, limitMs: number): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const waiter = { target, shared, item, resolve, reject } as unknown as Waiter;
    waiter.timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
      reject(new GatewayError("database_unavailable", `the recorder did not catch up within ${limitMs} ms`));
    }, limitMs);
    this.#waiting.push(waiter);
    return promise;
  }

  /**
   * Runs the waiters whose target is reached: everything before `read` is committed. The first `atEnd` waiters run in any
   * case, because the end of the spool was reached. Those that arrived during the batch may wait for frames that arrived
   * with them.
   */
  async settle(read: Position, atEnd: number): Promise<void> {
    const present = new Set(this.#waiting.slice(0, atEnd));
    const isReached = (waiter: Waiter) => present.has(waiter) || !isBefore(read, waiter.target);
    for (let at = 0; at < this.#waiting.length; ) {
      if (!isReached(this.#waiting[at]!)) {
        at++;
        continue;
      }
      const { shared } = this.#waiting[at]!;
      const together: Waiter[] = [];
      while (at < this.#waiting.length && together.length < shared.max()) {
        const next = this.#waiting[at]!;
        if (next.shared !== shared || !isReached(next)) break;
        this.#waiting.splice(at, 1);
        together.push(next);
      }
      await run(shared, together);
    }
  }
}

async function run({ work }: Shared<unknown, unknown>, waiters: readonly Waiter[]): Promise<void> {
  for (const { timer } of waiters) clearTimeout(timer);
  try {
    const results = await work(waiters.map(({ item }) => item));
    for (const [at, { resolve }] of waiters.entries()) resolve(results[at]);
  } catch (error) {
    for (const { reject } of waiters) reject(error);
  }
}
