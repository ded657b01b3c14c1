import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "../database/database.ts";

/** The database server's clock, in milliseconds since 1970: the clocks of nodes may differ. */
export const SERVER_NOW = "cast(unixepoch('subsec') * 1000 as integer)";
/** A node that was not seen for this long counts as gone. */
export const NODE_GONE_MS = 15_000;
/** Claims of ids are kept this long: by then their records are in the database, or never will be. */
export const ID_CLAIM_KEPT_MS = 7 * 86_400_000;

/** The id of this data directory among several that write to one database; created on first use. */
export function nodeIdOf(dataDirectory: string): string {
  return idInFile(join(dataDirectory, "node-id"));
}

/** The UUID in a file; created on first use. */
export function idInFile(path: string): string {
  try {
    const known = readFileSync(path, "utf8").trim();
    if (/^[0-9a-f-]{36}$/.test(known)) return known;
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ENOENT") throw error;
  }
  const id = randomUUID();
  writeFileSync(path, `${id}\n`, { mode: 0o600 });
  return id;
}

/** Heartbeat of a node. @returns whether another program sends heartbeats with the same id. */
export async function beat(records: Database, id: string, run: string, isFirst: boolean): Promise<boolean> {
  const [before] = await records.query<{ run: string }>({ sql: "select run from nodes where id = ?", args: [id] });
  await records.batch([
    {
      sql: `insert into nodes (id, run, started_at, seen_at) values (?, ?, ${SERVER_NOW}, ${SERVER_NOW})
        on conflict (id) do update set run = excluded.run, seen_at = excluded.seen_at,
          started_at = case when run = excluded.run then started_at else excluded.started_at end`,
      args: [id, run],
    },
    { sql: `delete from nodes where seen_at < ${SERVER_NOW} - ?`, args: [100 * NODE_GONE_MS] },
    { sql: `delete from claimed_ids where claimed_at < ${SERVER_NOW} - ?`, args: [ID_CLAIM_KEPT_MS] },
    { sql: `delete from shares where until < ${SERVER_NOW}`, args: [] },
  ]);
  return !isFirst && before !== undefined && before.run !== run;
}

/** Removes a node that has stopped. */
export async function leave(records: Database, id: string, run: string): Promise<void> {
  await records.batch([
    { sql: "delete from nodes where id = ? and run = ?", args: [id, run] },
    { sql: "delete from leases where holder = ?", args: [id] },
  ]);
}

/** Acquires or renews a lease for `forMs` milliseconds. @returns whether this node holds it. */
export async function takeLease(records: Database, name: string, node: string, forMs: number): Promise<boolean> {
  const rows = await records.query<{ holder: string }>({
    sql: `insert into leases (name, holder, until) values (?1, ?2, ${SERVER_NOW} + ?3)
      on conflict (name) do update set holder = excluded.holder, until = excluded.until
        where holder = excluded.holder or until < ${SERVER_NOW} returning holder`,
    args: [name, node, forMs],
  });
  return rows.length > 0;
}

/** Reserves `count` record numbers for this node. @returns the first of them. */
export async function takeNumbers(records: Database, count: number): Promise<number> {
  const [row] = await records.query<{ first: number }>({
    sql: `insert into sequences (name, next) select 'requests', used + 1 + ?1 from (select
        max(coalesce((select max(seq) from requests), 0),
          coalesce((select seq from sqlite_sequence where name = 'requests'), 0)) as used) where true
      on conflict (name) do update set next = max(next + ?1, excluded.next) returning next - ?1 as first`,
    args: [count],
  });
  return row!.first;
}

/** Reserves an id that a client chose. @returns false when it was already taken. */
export async function claimId(records: Database, id: string): Promise<boolean> {
  const rows = await records.query<{ id: string }>({
    sql: `insert into claimed_ids (id, claimed_at) values (?, ${SERVER_NOW}) on conflict do nothing returning id`,
    args: [id],
  });
  return rows.length > 0;
}
