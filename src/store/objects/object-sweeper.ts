import type { SweepStep } from "../bodies/body-store.ts";
import type { Database, Statement } from "../database/database.ts";
import { ALONE, AMONG_NODES } from "../nodes/of-node.ts";
import { eachOf } from "./each-of.ts";
import { leaving, type ObjectWriter, settling } from "./object-writer.ts";
import { Orphans } from "./orphans.ts";

/** Objects without packs are kept this long: a backup may be copying the bucket. */
const DEAD_MS = 3_600_000;
/** Objects deleted per step. */
const STEP_OBJECTS = 100;
const CALLS = 8;
/** Objects smaller than this fraction of the configured size are merged, once they fill an object or reach `TOGETHER_MAX`. */
const SMALL = 1 / 4;
const TOGETHER_MIN = 4;
const TOGETHER_MAX = 200;

interface SweeperOptions {
  /** The node that owns these objects; null for a local database. */
  readonly node: () => string | null;
  readonly writer: ObjectWriter;
  /** Whether new objects are still written. */
  readonly takesNew: boolean;
}

interface PlacedPack {
  readonly id: number;
  readonly object: string;
  readonly at: number;
  readonly stored: number;
}

/**
 * Deletes what is no longer needed from the object store, in small steps: objects without packs, objects that lost some of
 * their packs (the others are moved first), and orphans. Merges small objects. Runs between two batches of the recorder, so
 * that nothing is written meanwhile.
 */
export class ObjectSweeper {
  readonly #database: Database;
  readonly #options: SweeperOptions;
  readonly #orphans: Orphans;

  constructor(database: Database, options: SweeperOptions) {
    this.#database = database;
    this.#options = options;
    this.#orphans = new Orphans(database, options.writer, options.node);
  }

  /** @param isOrdered - delete dead objects now, and look for orphans. */
  async step(isOrdered: boolean): Promise<SweepStep> {
    const until = isOrdered ? Date.now() + 1 : Date.now() - DEAD_MS;
    const swept =
      (await this.#deleteDead(until)) ||
      (await this.#leavePartly()) ||
      (await this.#putTogether()) ||
      (await this.#orphans.step(isOrdered));
    return { swept, left: swept || this.#orphans.isUnderWay ? 1 : 0 };
  }

  get #mine(): string {
    return this.#options.node() === null ? ALONE : AMONG_NODES;
  }

  /** Objects first, then their rows: an interrupted step is repeated. */
  async #deleteDead(until: number): Promise<boolean> {
    const rows = await this.#database.query<{ name: string }>({
      sql: `select name from objects p where dead_at is not null and dead_at <= ?2 and (${this.#mine}) limit ${STEP_OBJECTS}`,
      args: [this.#options.node(), until],
    });
    if (rows.length === 0) return false;
    const names = rows.map(({ name }) => name);
    await eachOf(names, CALLS, (name) => this.#options.writer.options.store.remove(name));
    const sql = "delete from objects where name in (select value from json_each(?))";
    await this.#database.batch([{ sql, args: [JSON.stringify(names)] }]);
    return true;
  }

  /** Erased bytes may still be in an object that holds other packs. */
  async #leavePartly(): Promise<boolean> {
    const [row] = await this.#database.query<{ name: string }>({
      sql: `select name from objects p where partly = 1 and dead_at is null and (${this.#mine}) limit 1`,
      args: [this.#options.node()],
    });
    if (row === undefined) return false;
    await this.#move([row.name], 0);
    return true;
  }

  async #putTogether(): Promise<boolean> {
    if (!this.#options.takesNew) return false;
    const { objectBytes } = this.#options.writer.options;
    const rows = await this.#database.query<{ name: string; bytes: number }>({
      sql: `select name, bytes from objects p where dead_at is null and bytes < ?2 and (${this.#mine})
        order by name limit ${TOGETHER_MAX + 1}`,
      args: [this.#options.node(), objectBytes * SMALL],
    });
    const chosen: string[] = [];
    let bytes = 0;
    // The newest object may hold packs that still grow.
    for (const row of rows.slice(0, -1)) {
      if (bytes + row.bytes > objectBytes) break;
      chosen.push(row.name);
      bytes += row.bytes;
    }
    const isFull = chosen.length < rows.length - 1 && chosen.length >= TOGETHER_MIN;
    return (isFull || chosen.length === TOGETHER_MAX) && this.#move(chosen, Date.now());
  }

  /** Copies all packs of these objects into new ones. @returns whether any pack could be read. */
  async #move(names: readonly string[], deadAt: number): Promise<boolean> {
    const { writer, node } = this.#options;
    const { store } = writer.options;
    const rows = await this.#database.query<PlacedPack>({
      sql: `select id, object, at, stored from packs where object in (select value from json_each(?))
        order by id`,
      args: [JSON.stringify(names)],
    });
    const found = new Map<number, Uint8Array>();
    await eachOf(rows, CALLS, async ({ id, object, at, stored }) => {
      const bytes = await store.get(object, { offset: at, length: stored });
      if (bytes !== undefined) found.set(id, bytes);
    });
    const packs = [...found].map(([id, data]) => ({ id, data }));
    const { places, statements } = await writer.write([packs], node());
    const moved: Statement[] = rows.flatMap(({ id, object, at }) => {
      const place = places.get(id);
      if (place === undefined) return [];
      const sql = "update packs set object = ?, at = ?, stored = ? where id = ? and object = ? and at = ?";
      return [{ sql, args: [place.object, place.at, place.stored, id, object, at] }];
    });
    const lost = rows.filter(({ id }) => !found.has(id)).map(({ object }) => object);
    await this.#database.batch([
      ...statements,
      leaving(rows.map(({ id }) => id)),
      ...moved,
      settling(deadAt),
      // A missing object needs no rewriting.
      {
        sql: "update objects set partly = 0 where name in (select value from json_each(?))",
        args: [JSON.stringify(lost)],
      },
    ]);
    return found.size > 0;
  }
}
