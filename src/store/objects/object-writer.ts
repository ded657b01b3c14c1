import { randomUUID } from "node:crypto";
import { uuidv7 } from "../../runtime/uuid.ts";
import type { Database, Statement } from "../database/database.ts";
import { eachOf } from "./each-of.ts";
import type { PackPlace } from "./object-packs.ts";
import type { ObjectStore } from "./object-store.ts";

/** A compressed pack. */
export interface PackBytes {
  readonly id: number;
  readonly data: Uint8Array;
}

export interface ObjectWriterOptions {
  readonly store: ObjectStore;
  /** Start of every object name. */
  readonly prefix: string;
  /** Packs share an object up to this size in bytes. */
  readonly objectBytes: number;
  /** Name of this data directory within object names. */
  readonly directory: () => string;
}

/** What was written to the store: the place of each pack, and statements that insert the objects' rows. */
interface Written {
  readonly places: ReadonlyMap<number, PackPlace>;
  readonly statements: readonly Statement[];
}

/** Objects written at the same time. */
const CALLS = 4;
/** Names remembered until the next sweep; the sweep finds any others by listing the bucket. */
const UNSURE_MAX = 20_000;

/**
 * Writes packs into objects, one pack after another. A name is never reused: it consists of the deployment, the data
 * directory and the time. An object whose rows are not committed is an orphan, which the sweep finds.
 */
export class ObjectWriter {
  readonly options: ObjectWriterOptions;
  /** Objects whose rows may not have been committed; oldest first. */
  readonly unsure: Set<string> = new Set();
  readonly #database: Database;
  #deployment: string | undefined;

  constructor(database: Database, options: ObjectWriterOptions) {
    this.#database = database;
    this.options = options;
  }

  /** @param groups - packs of different groups share no object. @param node - as in the packs' rows. */
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

  /** Prefix of the names of this database's objects; other deployments in the bucket use other prefixes. */
  async deploymentPrefix(): Promise<string> {
    this.#deployment ??= await deploymentOf(this.#database);
    return `${this.options.prefix}${this.#deployment}/`;
  }

  /** A single pack may be larger than the usual size of an object. */
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

/** Runs before statements that move or delete these packs: marks the objects that the packs leave. */
export function leaving(packs: readonly number[]): Statement {
  return {
    sql: `update objects set partly = 1 where partly = 0
      and name in (select object from packs where id in (select value from json_each(?)) and object is not null)`,
    args: [JSON.stringify(packs)],
  };
}

/** Runs after them: marks objects without packs as deletable. @param deadAt - the time from which they count as dead. */
export function settling(deadAt: number): Statement {
  return {
    sql: `update objects set dead_at = ? where partly = 1 and dead_at is null
      and not exists (select 1 from packs where object = objects.name)`,
    args: [deadAt],
  };
}
