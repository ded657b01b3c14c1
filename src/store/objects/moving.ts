import type { Database } from "../database/database.ts";
import { type ObjectWriter, settling } from "./object-writer.ts";

/** Maximum number of packs read in one step; a step ends earlier when they fill an object. */
const STEP_PACKS = 400;

/**
 * Moves packs from the database into the object store, newest first, as many as fill an object. Moved packs are no longer
 * selected, so an interrupted move continues where it stopped.
 *
 * @returns number of packs read; 0 when all are moved.
 */
export async function movePacks(database: Database, writer: ObjectWriter, node: string | null): Promise<number> {
  const sizes = await database.query<{ id: number; stored: number }>({
    sql: `select id, length(data) as stored from packs where object is null order by id desc limit ${STEP_PACKS}`,
    args: [],
  });
  let sum = 0;
  const chosen = sizes.filter(({ stored }, at) => {
    sum += stored;
    return at === 0 || sum <= writer.options.objectBytes;
  });
  if (chosen.length === 0) return 0;
  const rows = await database.query<{ id: number; bytes: number; data: Uint8Array }>({
    sql: `select id, bytes, data from packs where object is null and id in (select value from json_each(?))`,
    args: [JSON.stringify(chosen.map(({ id }) => id))],
  });
  const { places, statements } = await writer.write([rows], node);
  const names = JSON.stringify([...new Set([...places.values()].map(({ object }) => object))]);
  await database.batch([
    ...statements,
    ...rows.map(({ id, bytes }) => {
      const { object, at, stored } = places.get(id)!;
      // A pack that another node extended meanwhile stays as it is.
      const sql = `update packs set data = x'', object = ?, at = ?, stored = ?
        where id = ? and bytes = ? and object is null`;
      return { sql, args: [object, at, stored, id, bytes] };
    }),
    {
      sql: `update objects set partly = 1 where name in (select value from json_each(?))
        and bytes > (select coalesce(sum(stored), 0) from packs where object = objects.name)`,
      args: [names],
    },
    settling(0),
  ]);
  return rows.length;
}

/** Number of packs whose bytes are in the database. */
export async function packsHere(database: Database): Promise<number> {
  const sql = "select count(*) as n from packs where object is null";
  const [row] = await database.query<{ n: number }>({ sql, args: [] });
  return row!.n;
}
