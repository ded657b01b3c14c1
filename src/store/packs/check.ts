import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database } from "../database/database.ts";
import { decompressed } from "./gather.ts";

const PACKS = 64;

/** Packs in the database that cannot be decompressed, or whose content has the wrong length; reads all of them. */
export async function damagedPacks(database: Database): Promise<readonly number[]> {
  const damaged: number[] = [];
  const columns = await database.query<{ name: string }>({
    sql: "select name from pragma_table_info('packs')",
    args: [],
  });
  if (columns.length === 0) return damaged; // not migrated yet
  const isHere = columns.some(({ name }) => name === "object") ? "object is null" : "true";
  for (let after = 0; ; ) {
    const rows = await database.query<{ id: number; bytes: number; data: Uint8Array }>({
      sql: `select id, bytes, data from packs where id > ? and ${isHere} order by id limit ${PACKS}`,
      args: [after],
    });
    const last = rows.at(-1);
    if (last === undefined) return damaged;
    for (const { id, bytes, data } of rows) if (decompressed(data)?.length !== bytes) damaged.push(id);
    after = last.id;
    await nextTurn();
  }
}
