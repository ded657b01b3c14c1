import type { Deadline } from "../database/deadline.ts";
import type { Database } from "../store.ts";
import { shards, tableOf } from "./shards.ts";

/** Size of the word index. Only its newest table grows: the others are measured once, and again after removals. */
export class IndexSize {
  readonly #database: Database;
  #known: ReadonlyMap<string, number> = new Map();

  constructor(database: Database) {
    this.#database = database;
  }

  async bytes(deadline: Deadline): Promise<number> {
    const measured = new Map<string, number>();
    let sum = 0;
    for (const [at, { shard, removals }] of (await shards(this.#database)).entries()) {
      const key = `${shard}:${removals}`;
      const known = at === 0 ? undefined : this.#known.get(key);
      const bytes = known ?? (await this.#measure(shard, deadline));
      measured.set(key, bytes);
      sum += bytes;
    }
    this.#known = measured;
    return sum;
  }

  async #measure(shard: number, deadline: Deadline): Promise<number> {
    const table = tableOf(shard);
    const sql = `select (select coalesce(sum(length(block)), 0) from ${table}_data)
      + (select coalesce(sum(length(sz) + 8), 0) from ${table}_docsize) as bytes`;
    const [row] = await this.#database.query<{ bytes: number }>({ sql, args: [] }, deadline.rest());
    return row?.bytes ?? 0;
  }
}
