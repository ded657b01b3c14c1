import { compressZstd } from "../../runtime/zstd.ts";
import type { Database, Statement, Value } from "../database/database.ts";
import { insertInto, insertRows } from "../database/statements.ts";
import { leaving, ObjectWriter, type PackBytes, settling } from "../objects/object-writer.ts";
import type { Objects } from "../objects/open-objects.ts";
import type { WrittenPack } from "./pack-writer.ts";

const EMPTY = new Uint8Array(0);
const INSERT_PACK = insertInto("packs", ["id", "bytes", "shared", "node", "data"], "");
const INSERT_PLACED = insertInto("packs", ["id", "bytes", "shared", "node", "data", "object", "at", "stored"], "");
/** A pack that grew; never one that others have put in its place. */
const GROW = "where id = ? and bytes = ?";
const GROW_PACK = `update packs set bytes = ?, shared = ?, data = ?, object = null, at = null, stored = null ${GROW}`;
const GROW_PLACED = `update packs set bytes = ?, shared = ?, data = ?, object = ?, at = ?, stored = ? ${GROW}`;
const REPLACE_PACK = "update packs set data = ?, object = null, at = null, stored = null where id = ?";
const REPLACE_PLACED = "update packs set data = ?, object = ?, at = ?, stored = ? where id = ?";

/**
 * Where the bytes of packs go: into their rows, or into an object store. What goes there is there before a statement that
 * says so is given back.
 */
export class PackPlaces {
  /** Undefined where no object store is configured. */
  readonly objects: ObjectWriter | undefined;
  readonly #takesNew: boolean;

  constructor(database: Database, objects: Objects | undefined) {
    this.objects = objects && new ObjectWriter(database, objects.writing);
    this.#takesNew = objects?.takesNew === true;
  }

  /** Whether packs go into the object store. */
  get areObjects(): boolean {
    return this.#takesNew;
  }

  /** Statements that store packs which are new or have grown. */
  async stored(packs: readonly WrittenPack[], node: string | null): Promise<Statement[]> {
    const made = packs.map((pack) => ({ ...pack, data: compressZstd(pack.content) }));
    const statements: Statement[] = [];
    const values: Value[] = [];
    if (!this.#takesNew) {
      for (const { id, content, shared, written, data } of made) {
        if (written === 0) values.push(id, content.length, Number(shared), node, data);
        else statements.push({ sql: GROW_PACK, args: [content.length, Number(shared), data, id, written] });
      }
      insertRows(INSERT_PACK, values, statements);
      return statements;
    }
    // What is open is written again with the next batch: its object is then gone as a whole.
    const groups = [made.filter(({ open }) => !open), made.filter(({ open }) => open)];
    const { places, statements: objects } = await this.objects!.write(groups, node);
    for (const { id, content, shared, written } of made) {
      const { object, at, stored } = places.get(id)!;
      const place = [content.length, Number(shared)] as const;
      if (written === 0) values.push(id, ...place, node, EMPTY, object, at, stored);
      else statements.push({ sql: GROW_PLACED, args: [...place, EMPTY, object, at, stored, id, written] });
    }
    insertRows(INSERT_PLACED, values, statements);
    const grown = made.filter(({ written }) => written > 0).map(({ id }) => id);
    return [...objects, ...left(grown, statements, Date.now())];
  }

  /**
   * Statements that put other bytes in the place of packs that are there.
   *
   * @param deadAt - since when the objects count as dead that no pack is left in.
   */
  async replaced(packs: readonly PackBytes[], node: string | null, deadAt: number): Promise<Statement[]> {
    if (packs.length === 0) return [];
    const ids = packs.map(({ id }) => id);
    if (!this.#takesNew) {
      const rows = packs.map(({ id, data }) => ({ sql: REPLACE_PACK, args: [data, id] }));
      return this.objects === undefined ? rows : left(ids, rows, deadAt);
    }
    const { places, statements } = await this.objects!.write([packs], node);
    const rows = packs.map(({ id }) => {
      const { object, at, stored } = places.get(id)!;
      return { sql: REPLACE_PLACED, args: [EMPTY, object, at, stored, id] };
    });
    return [...statements, ...left(ids, rows, deadAt)];
  }

  /** Statements that take packs out. */
  removed(ids: readonly number[], deadAt: number): Statement[] {
    if (ids.length === 0) return [];
    const sql = "delete from packs where id in (select value from json_each(?))";
    const rows = [{ sql, args: [JSON.stringify(ids)] }];
    return this.objects === undefined ? rows : left(ids, rows, deadAt);
  }
}

/** Statements with those around them that see to the objects which these packs leave. */
function left(packs: readonly number[], statements: readonly Statement[], deadAt: number): Statement[] {
  if (packs.length === 0) return [...statements];
  return [leaving(packs), ...statements, settling(deadAt)];
}
