import { randomUUID } from "node:crypto";
import { uuidv7 } from "../../runtime/uuid.ts";
import type { Database, Statement } from "../database/database.ts";
import { eachOf } from "./each-of.ts";
import type { PackPlace } from "./object-packs.ts";
import type { ObjectStore } from "./object-store.ts";

/** A pack, compressed. */
export interface PackBytes {
  readonly id: number;
  readonly data: Uint8Array;
}

export interface ObjectWriterOptions {
  readonly store: ObjectStore;
  /** Beginning of every name. */
  readonly prefix: string;
  /** Packs share an object up to this size. */
  readonly objectBytes: number;
  /** What this data directory is called. */
  readonly directory: () => string;
}

/** What was put into the store: where each pack is now, and rows for the objects. */
interface Written {
  readonly places: ReadonlyMap<number, PackPlace>;
  readonly statements: readonly Statement[];
}

/** Objects that are written at once. */
const CALLS = 4;
/** Names that are remembered until the next sweep; what is beyond them the list of the bucket says. */
const UNSURE_MAX = 20_000;

/**
 * Puts packs into objects, one after the other. A name is never used twice: it is made of the deployment, the data
 * directory and the time. An object whose rows are not committed is an orphan, which the sweep finds.
 */
export class ObjectWriter {
  readonly options: ObjectWriterOptions;
  /** Objects of which it is not known whether their rows were committed; the oldest first. */
  readonly unsure: Set<string> = new Set();
  readonly #database: Database;
  #deployment: string | undefined;

  constructor(database: Database, options: ObjectWriterOptions) {
    this.#database = database;
    this.options = options;
  }

  /** @param groups - packs of two groups share no object. @param node - as in the packs' rows. */
  async write(groups: readonly (readonly PackBytes[])[], node: string | null): Promise<Written> {
    const own = `${await this.deploymentPrefix()}${this.options.directory()}/`;
    const places = new Map<number, PackPlace>();
    const objects = groups
      .flatMap((group) => [...this.#divided(group)])
      .map((packs) => ({ name: own + uuidv7(), packs }));
    const statements: Statement[] = [];
    for (const { name, packs } of objects) {
      let at = 0;
      for (const { id, data } of packs) {
        places.set(id, { object: name, at, stored: data.length });
        at += data.length;
      }
      const sql = "insert into objects (name, bytes, node, partly) values (?, ?, ?, 0)";
      statements.push({ sql, args: [name, at, node] });
    }
    for (const { name } of objects) this.unsure.add(name);
    for (const name of this.unsure) {
      if (this.unsure.size <= UNSURE_MAX) break;
      this.unsure.delete(name);
    }
    await eachOf(objects, CALLS, ({ name, packs }) =>
      this.options.store.put(name, Buffer.concat(packs.map(({ data }) => data))),
    );
    return { places, statements };
  }

  /** Beginning of the names of this database's objects: those of others in the bucket are none of its business. */
  async deploymentPrefix(): Promise<string> {
    this.#deployment ??= await deploymentOf(this.#database);
    return `${this.options.prefix}${this.#deployment}/`;
  }

  /** A single pack may be larger than an object is otherwise. */
  *#divided(packs: readonly PackBytes[]): Generator<PackBytes[]> {
    let part: PackBytes[] = [];
    let bytes = 0;
    for (const pack of packs) {
      if (part.length > 0 && bytes + pack.data.length > this.options.objectBytes) {
        yield part;
        [part, bytes] = [[], 0];
      }
      part.push(pack);
      bytes += pack.data.length;
    }
    if (part.length > 0) yield part;
  }
}

async function deploymentOf(database: Database): Promise<string> {
  const find = { sql: "select prefix from object_names where id = 1", args: [] };
  const [known] = await database.query<{ prefix: string }>(find);
  if (known !== undefined) return known.prefix;
  const sql = "insert into object_names (id, prefix) values (1, ?) on conflict do nothing";
  await database.batch([{ sql, args: [randomUUID()] }]);
  return (await database.query<{ prefix: string }>(find))[0]!.prefix;
}

/** Goes before statements that give these packs another place, or none. */
export function leaving(packs: readonly number[]): Statement {
  return {
    sql: `update objects set partly = 1 where partly = 0
      and name in (select object from packs where id in (select value from json_each(?)) and object is not null)`,
    args: [JSON.stringify(packs)],
  };
}

/** Goes behind them: objects in which no pack is left may be deleted. @param deadAt - since when. */
export function settling(deadAt: number): Statement {
  return {
    sql: `update objects set dead_at = ? where partly = 1 and dead_at is null
      and not exists (select 1 from packs where object = objects.name)`,
    args: [deadAt],
  };
}
