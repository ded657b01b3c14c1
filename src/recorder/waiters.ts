import { GatewayError } from "../errors.ts";
import type { Position } from "../spool/frame.ts";
import { isBefore } from "../spool/position.ts";

/** Work that is done at once for several who wait for it. */
export interface Shared<Item, Result> {
  /** How many items are done together at most. */
  readonly max: () => number;
  readonly work: (items: readonly Item[]) => Promise<readonly Result[]>;
}

interface Waiter {
  readonly target: Position;
  /** Those who wait for the same work, one after the other, have it done together. */
  readonly shared: Shared<unknown, unknown>;
  readonly item: unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  timer?: ReturnType<typeof setTimeout>;
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
    const alone: Shared<undefined, T> = { max: () => 1, work: async () => [await work()] };
    return this.addTo(alone, undefined, target, limitMs);
  }

  /** The same for one item of what is done together. */
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
   * Runs those whose target is reached: everything before `read` is committed, or, of the first `atEnd`, everything
   * there was. Those that came while the batch was under way may want frames that came with them.
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
