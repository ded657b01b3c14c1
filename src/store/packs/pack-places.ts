import type { Database, Statement, Value } from "../database/database.ts";
import { insertInto, insertRows } from "../database/statements.ts";
import { leaving, ObjectWriter, type PackBytes, settling } from "../objects/object-writer.ts";
import type { Objects } from "../objects/open-objects.ts";
import type { WrittenPack } from "./pack-writer.ts";

const EMPTY = new Uint8Array(0);
const INSERT_PACK = insertInto("packs", ["id", "bytes", "shared", "node", "data"], "");
const INSERT_PLACED = insertInto("packs", ["id", "bytes", "shared", "node", "data", "object", "at", "stored"], "");
/** Updates a pack that grew, but not one that was replaced meanwhile. */
const GROW = "where id = ? and bytes = ?";
const GROW_PACK = `update packs set bytes = ?, shared = ?, data = ?, object = null, at = null, stored = null ${GROW}`;
const GROW_PLACED = `update packs set bytes = ?, shared = ?, data = ?, object = ?, at = ?, stored = ? ${GROW}`;
const REPLACE_PACK = "update packs set data = ?, object = null, at = null, stored = null where id = ?";
const REPLACE_PLACED = "update packs set data = ?, object = ?, at = ?, stored = ? where id = ?";

/**
 * Stores the bytes of packs in their rows or in an object store. Objects are written before the statements that refer to them
 * are returned.
 */
export class PackPlaces {
  /** Undefined when no object store is configured. */
  readonly objects: ObjectWriter | undefined;
  readonly #takesNew: boolean;

  constructor(database: Database, objects: Objects | undefined) {
    this.objects = objects && new ObjectWriter(database, objects.writing);
    this.#takesNew = objects?.takesNew === true;
  }

  /** Whether new packs go into the object store. */
  get areObjects(): boolean {
    return this.#takesNew;
  }

  /** Statements that store new and grown packs. */
  async stored(packs: readonly WrittenPack[], node: string | null): Promise<Statement[]> {
    const statements: Statement[] = [];
    const values: Value[] = [];
    if (!this.#takesNew) {
      for (const { id, length, shared, written, data } of packs) {
        if (written === 0) values.push(id, length, Number(shared), node, data);
        else statements.push({ sql: GROW_PACK, args: [length, Number(shared), data, id, written] });
      }
      insertRows(INSERT_PACK, values, statements);
      return statements;
    }
    // Open packs get objects of their own: the next batch writes them again, and then the old object can be deleted.
    const groups = [packs.filter(({ open }) => !open), packs.filter(({ open }) => open)];
    const { places, statements: objects } = await this.objects!.write(groups, node);
    for (const { id, length, shared, written } of packs) {
      const { object, at, stored } = places.get(id)!;
      const place = [length, Number(shared)] as const;
      if (written === 0) values.push(id, ...place, node, EMPTY, object, at, stored);
      else statements.push({ sql: GROW_PLACED, args: [...place, EMPTY, object, at, stored, id, written] });
    }
    insertRows(INSERT_PLACED, values, statements);
    const grown = packs.filter(({ written }) => written > 0).map(({ id }) => id);
    return [...objects, ...left(grown, statements, Date.now())];
  }

  /**
   * Statements that replace the bytes of existing packs.
   *
   * @param deadAt - the time from which objects left without packs count as dead.
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

  /** Statements that delete packs. */
  removed(ids: readonly number[], deadAt: number): Statement[] {
    if (ids.length === 0) return [];
    const sql = "delete from packs where id in (select value from json_each(?))";
    const rows = [{ sql, args: [JSON.stringify(ids)] }];
    return this.objects === undefined ? rows : left(ids, rows, deadAt);
  }
}

/** Wraps statements with those that mark the objects which these packs leave. */
function left(packs: readonly number[], statements: readonly Statement[], deadAt: number): Statement[] {
  if (packs.length === 0) return [...statements];
  return [leaving(packs), ...statements, settling(deadAt)];
}
