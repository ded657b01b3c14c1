import { patiently } from "../database/patiently.ts";
import type { Database } from "../store.ts";

const ORDER = "bodies to objects";

/** Has the service move what is in the database into the object store. It stays ordered until all is moved. */
export function orderObjects(records: Database): Promise<void> {
  const sql = "insert into settings (name, value) values (?, '') on conflict (name) do nothing";
  return patiently(() => records.batch([{ sql, args: [ORDER] }]));
}

export async function areObjectsOrdered(records: Database): Promise<boolean> {
  const rows = await records.query({ sql: "select 1 from settings where name = ?", args: [ORDER] });
  return rows.length > 0;
}

/** All is moved. */
export function noteObjects(records: Database): Promise<void> {
  return patiently(() => records.batch([{ sql: "delete from settings where name = ?", args: [ORDER] }]));
}
