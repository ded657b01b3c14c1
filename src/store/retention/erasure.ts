import { patiently } from "../database/patiently.ts";
import type { Database } from "../store.ts";

const ORDER = "erase ordered at";

/** Has every node take the bytes of what was removed out of its packs at once. */
export async function orderErasure(records: Database): Promise<void> {
  const sql = `insert into settings (name, value) values (?, ?) on conflict (name) do update set value = excluded.value`;
  await patiently(() => records.batch([{ sql, args: [ORDER, String(Date.now())] }]));
}

/** The last order, or undefined where there never was one; it changes with each. */
export async function erasureOrder(records: Database): Promise<string | undefined> {
  const sql = "select value from settings where name = ?";
  return (await records.query<{ value: string }>({ sql, args: [ORDER] }))[0]?.value;
}

/** Packs that may hold bytes of what was removed. */
export async function packsToErase(bodies: Database): Promise<number> {
  const [row] = await bodies.query<{ n: number }>({ sql: "select count(*) as n from pack_erasures", args: [] });
  return row!.n;
}
