import type { Statement, Store } from "./store.ts";

/** The row in the records' database that holds the last record number in the bodies' database. */
const PLACE = "bodies";

/** Statements for a transaction of bodies and for that of their records, which follows. Both store the highest record number. */
export function pairingStatements(
  seq: number,
  now: number,
): { readonly bodies: Statement; readonly records: Statement } {
  return {
    bodies: {
      sql: "insert into pairing (id, seq) values (1, ?) on conflict (id) do update set seq = excluded.seq",
      args: [seq],
    },
    records: {
      sql: `insert into spool_positions (spool, segment, "offset", updated_at) values (?, ?, 0, ?)
        on conflict (spool) do update set segment = excluded.segment, updated_at = excluded.updated_at`,
      args: [PLACE, seq, now],
    },
  };
}

/** Whether the bodies end before the records: their file is an older copy or a new one. */
export async function lacksBodies({ records, bodies }: Store): Promise<boolean> {
  const [said] = await records.query<{ seq: number }>({
    sql: "select segment as seq from spool_positions where spool = ?",
    args: [PLACE],
  });
  if (said === undefined) return false;
  const [found] = await bodies.query<{ seq: number }>({ sql: "select seq from pairing where id = 1", args: [] });
  return (found?.seq ?? 0) < said.seq;
}
