import type { Database } from "../database/database.ts";
import type { ObjectStore } from "./object-store.ts";

const PAGE_ROWS = 1_000;

/** Lists the whole store and returns objects with packs that are missing, or that end before their packs do. */
export async function lostObjects(database: Database, store: ObjectStore): Promise<readonly string[]> {
  const lost: string[] = [];
  for (let after = ""; ; ) {
    const rows = await database.query<{ name: string; bytes: number }>({
      sql: `select name, bytes from objects where dead_at is null and name > ? order by name limit ${PAGE_ROWS}`,
      args: [after],
    });
    const last = rows.at(-1);
    if (last === undefined) return lost;
    const there = await sizesBetween(store, rows[0]!.name, last.name);
    for (const { name, bytes } of rows) if ((there.get(name) ?? -1) < bytes) lost.push(name);
    after = last.name;
  }
}

/** Sizes of the objects in a range of names, both ends included. */
async function sizesBetween(store: ObjectStore, first: string, last: string): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  // `start-after` excludes the name itself, so its last character is cut off.
  for await (const page of store.list("", first.slice(0, -1))) {
    for (const { name, bytes } of page) {
      if (name > last) return sizes;
      sizes.set(name, bytes);
    }
  }
  return sizes;
}
