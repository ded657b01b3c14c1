import type { Database } from "../database/database.ts";
import { identify } from "../database/file-identity.ts";

/** Pack numbers: unique and increasing. */
export interface PackIds {
  /** The node that owns these packs; null for a local database. */
  node(): string | null;
  /**
   * Makes sure that `take` can be called `count` times.
   *
   * @returns false when earlier packs may be missing, because the database is a different one.
   */
  prepare(count: number): Promise<boolean>;
  take(): number;
  /** Call when packs with the numbers taken may not have been committed. */
  failed(): void;
}

/** For a local database: numbers after those in the file. */
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
      // The last pack may be deleted while rows still have its number as their home.
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

/** Numbers reserved at a time, so that one call to the server serves many packs. */
const BLOCK = 32;
/** A node that wrote nothing for this long may count as gone, and other nodes may have erased its packs. */
const TRUST_MS = 600_000;

/** For a server shared by nodes: numbers from its sequence, never used twice. */
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
