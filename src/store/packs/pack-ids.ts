import type { Database } from "../database/database.ts";
import { identify } from "../database/file-identity.ts";

/** Numbers of packs: each only ever names one, and they rise. */
export interface PackIds {
  /** The node whose packs these are; null where the database is one's own. */
  node(): string | null;
  /**
   * `take` can be called so many times after this.
   *
   * @returns false where what was written before may not be there: the database is another one.
   */
  prepare(count: number): Promise<boolean>;
  take(): number;
  /** It is not known whether packs with the numbers taken are in the database. */
  failed(): void;
}

/** In a database of one's own: the numbers behind those in the file. */
export class LocalPackIds implements PackIds {
  readonly #database: Database;
  readonly #path: string;
  #file: string | undefined;
  #next: number | undefined;

  constructor(database: Database, path: string) {
    this.#database = database;
    this.#path = path;
  }

  node(): null {
    return null;
  }

  async prepare(): Promise<boolean> {
    const file = identify(this.#path);
    if (this.#next !== undefined && file === this.#file) return true;
    const [row] = await this.#database.query<{ last: number }>({
      // The last pack may have been deleted while rows with its number as their home are there.
      sql: "select max(coalesce((select max(id) from packs), 0), coalesce((select max(home) from contents), 0)) as last",
      args: [],
    });
    this.#next = row!.last + 1;
    this.#file = file;
    return false;
  }

  take(): number {
    if (this.#next === undefined) throw new TypeError("no number of a pack was prepared");
    return this.#next++;
  }

  failed(): void {
    this.#next = undefined;
  }
}

/** Numbers that are taken at once, so that the server is asked once for many packs. */
const BLOCK = 32;
/** A node that wrote nothing for so long may count as gone, and its packs may have been erased by others. */
const TRUST_MS = 600_000;

/** On a server that nodes share: taken from its sequence, and never twice. */
export class SharedPackIds implements PackIds {
  readonly #database: Database;
  readonly #node: () => string;
  readonly #free: number[] = [];
  #preparedAt = Number.NEGATIVE_INFINITY;

  constructor(database: Database, node: () => string) {
    this.#database = database;
    this.#node = node;
  }

  node(): string {
    return this.#node();
  }

  async prepare(count: number): Promise<boolean> {
    if (this.#free.length < count) {
      const taken = Math.max(count, BLOCK);
      const [row] = await this.#database.query<{ first: number }>({
        sql: `insert into sequences (name, next) values ('packs', 1 + ?1)
          on conflict (name) do update set next = next + ?1 returning next - ?1 as first`,
        args: [taken],
      });
      for (let id = row!.first; id < row!.first + taken; id++) this.#free.push(id);
    }
    const now = performance.now();
    const isTrusted = now - this.#preparedAt < TRUST_MS;
    this.#preparedAt = now;
    return isTrusted;
  }

  take(): number {
    const id = this.#free.shift();
    if (id === undefined) throw new TypeError("no number of a pack was prepared");
    return id;
  }

  failed(): void {}
}
