import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database } from "../store.ts";
import { decompressed } from "./gather.ts";

const PACKS = 64;

/** Packs that cannot be decompressed, or not to what they held; reads all of them. */
export async function damagedPacks(database: Database): Promise<readonly number[]> {
  const damaged: number[] = [];
  const table = await database.query({ sql: "select 1 from pragma_table_info('packs') limit 1", args: [] });
  if (table.length === 0) return damaged; // not migrated yet
  for (let after = 0; ; ) {
    const rows = await database.query<{ id: number; bytes: number; data: Uint8Array }>({
      sql: `select id, bytes, data from packs where id > ? order by id limit ${PACKS}`,
      args: [after],
    });
    const last = rows.at(-1);
    if (last === undefined) return damaged;
    for (const { id, bytes, data } of rows) if (decompressed(data)?.length !== bytes) damaged.push(id);
    after = last.id;
    await nextTurn();
  }
}
