import type { Database } from "./database.ts";

/** How long a gate stays closed at most: a failed query is retried, and nothing depends on stamps alone. */
const CLOSED_MS_MAX = 5_000;

/**
 * Lets a poller query databases only if they have changed since its last query. Comparing stamps costs a tenth of the cheapest
 * query, so that an idle service uses little CPU although it looks several times a second.
 */
export class ChangeGate {
  readonly #databases: readonly Pick<Database, "stamp">[];
  readonly #closedMsMax: number;
  #stamp: string | undefined;
  #openedAt = Number.NEGATIVE_INFINITY;

  constructor(databases: readonly Pick<Database, "stamp">[], closedMsMax = CLOSED_MS_MAX) {
    this.#databases = databases;
    this.#closedMsMax = closedMsMax;
  }

  /**
   * Whether the databases may have changed since the last call that returned true. Also true if that was a while ago, if a
   * database has no stamp, or if it is unavailable. Call it before the query: a change in between then opens it again.
   */
  async isOpen(): Promise<boolean> {
    const stamp = await this.#read();
    const now = performance.now();
    if (stamp !== undefined && stamp === this.#stamp && now - this.#openedAt < this.#closedMsMax) return false;
    this.#stamp = stamp;
    this.#openedAt = now;
    return true;
  }

  async #read(): Promise<string | undefined> {
    const stamps: string[] = [];
    for (const database of this.#databases) {
      const stamp = await database.stamp?.().catch(() => undefined); // the query reports it
      if (stamp === undefined) return undefined;
      stamps.push(stamp);
    }
    return stamps.join(" ");
  }
}
