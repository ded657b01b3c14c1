import { type Dirent, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../config.ts";
import type { Deadline } from "../database/deadline.ts";
import { bodiesPath } from "../database/local.ts";
import { type Database, localPath } from "../store.ts";
import { packsToErase } from "./erasure.ts";
import { leftToMove } from "./move.ts";

const DAY_MS = 86_400_000;
/** Days that `recordsPerDay` looks back. */
export const STORAGE_DAYS = 30;

/** Bytes on disk of the whole deployment; on a libSQL server the database's own count, and bodies are part of it. */
export async function storedBytes(config: Config, records: Database) {
  const spool_bytes = bytesIn(join(config.data_dir, "spool"));
  const path = localPath(config);
  if (path !== undefined) {
    const database_bytes = bytesOf(path);
    const bodies_bytes = bytesOf(bodiesPath(path));
    return { database_bytes, bodies_bytes, spool_bytes };
  }
  const [row] = await records.query<{ bytes: number }>({
    sql: "select (select page_count from pragma_page_count()) * (select page_size from pragma_page_size()) as bytes",
    args: [],
  });
  return { database_bytes: row?.bytes ?? null, bodies_bytes: null, spool_bytes };
}

/** Packs of which it is told how well they compress. */
const NEWEST_PACKS = 1_000;

/** How the newest packs compress, how many hold bytes of what was removed, and about how many requests are in none yet. */
export async function storedPacks(bodies: Database) {
  const [newest] = await bodies.query<{ packs: number; content_bytes: number; stored_bytes: number }>({
    sql: `select count(*) as packs, coalesce(sum(bytes), 0) as content_bytes, coalesce(sum(stored), 0) as stored_bytes
      from (select bytes, length(data) as stored from packs order by id desc limit ${NEWEST_PACKS})`,
    args: [],
  });
  return { newest: newest!, to_erase: await packsToErase(bodies), requests_to_move: await leftToMove(bodies) };
}

/** Records of an organization and the bytes that passed with them, by day, the last one first; days without are left out. */
export async function recordsPerDay(
  records: Database,
  organizationId: string,
  deadline: Deadline,
): Promise<{ readonly day: string; readonly records: number; readonly bytes: number }[]> {
  const from = (Math.floor(Date.now() / DAY_MS) - STORAGE_DAYS + 1) * DAY_MS;
  const sql = `select request_created_at / ${DAY_MS} as day, count(*) as records, sum(size_bytes) as bytes
    from requests where organization_id = ? and request_created_at >= ? group by 1 order by 1 desc`;
  const rows = await records.query<{ day: number; records: number; bytes: number }>(
    { sql, args: [organizationId, from] },
    deadline.rest(),
  );
  return rows.map(({ day, ...row }) => ({ day: new Date(day * DAY_MS).toISOString().slice(0, 10), ...row }));
}

/** A database file with what is still in its log. */
function bytesOf(path: string): number {
  return ["", "-wal"].reduce((sum, end) => sum + (statSync(path + end, { throwIfNoEntry: false })?.size ?? 0), 0);
}

function bytesIn(directory: string): number {
  let entries: Dirent[];
  try {
    entries = readdirSync(directory, { withFileTypes: true, recursive: true });
  } catch {
    return 0; // it is made when something is first put there
  }
  const sizes = entries
    .filter((entry) => entry.isFile())
    // One that is deleted while we look counts for nothing.
    .map((entry) => statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0);
}
