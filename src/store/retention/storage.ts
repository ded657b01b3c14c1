import { type Dirent, readdirSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../config.ts";
import { bodiesPath } from "../database/local.ts";
import type { DaySum, StorageSums } from "../sizes/sums.ts";
import { type Database, localPath } from "../store.ts";
import { packsToErase } from "./erasure.ts";
import { leftToMove } from "./move.ts";

const DAY_MS = 86_400_000;
/** Days that `recordsPerDay` covers. */
export const STORAGE_DAYS = 30;

/** Bytes on disk of the whole deployment. On a libSQL server it is the database's own count, which includes bodies. */
export async function storedBytes(config: Config, records: Database) {
  const spool_bytes = bytesIn(join(config.data_dir, "spool"));
  const objects_bytes = await bytesOfObjects(records);
  const path = localPath(config);
  if (path !== undefined) {
    const database_bytes = bytesOf(path);
    const bodies_bytes = bytesOf(bodiesPath(path));
    return { database_bytes, bodies_bytes, objects_bytes, spool_bytes };
  }
  const [row] = await records.query<{ bytes: number }>({
    sql: "select (select page_count from pragma_page_count()) * (select page_size from pragma_page_size()) as bytes",
    args: [],
  });
  return { database_bytes: row?.bytes ?? null, bodies_bytes: null, objects_bytes, spool_bytes };
}

/** Bytes of all objects in the object store; null when there are none. A reader's connection sees both files. */
async function bytesOfObjects(reader: Database): Promise<number | null> {
  const [row] = await reader.query<{ bytes: number | null }>({
    sql: "select sum(bytes) as bytes from objects",
    args: [],
  });
  return row?.bytes ?? null;
}

/** Number of newest packs in the compression statistics. */
const NEWEST_PACKS = 1_000;

/** Compression of the newest packs, number of packs with deleted bytes, and approximate number of requests not yet in packs. */
export async function storedPacks(bodies: Database) {
  const [newest] = await bodies.query<{ packs: number; content_bytes: number; stored_bytes: number }>({
    sql: `select count(*) as packs, coalesce(sum(bytes), 0) as content_bytes, coalesce(sum(stored), 0) as stored_bytes
      from (select bytes, coalesce(stored, length(data)) as stored from packs order by id desc limit ${NEWEST_PACKS})`,
    args: [],
  });
  return { newest: newest!, to_erase: await packsToErase(bodies), requests_to_move: await leftToMove(bodies) };
}

/** Records of an organization and their transferred bytes by day, newest first; days without records are left out. */
export function recordsPerDay({ days }: StorageSums, organizationId: string, now: number) {
  const first = Math.floor(now / DAY_MS) - STORAGE_DAYS + 1;
  const own = days.filter((each) => each.organization_id === organizationId && each.day >= first);
  return [...Map.groupBy(own, ({ day }) => day)]
    .sort(([a], [b]) => b - a)
    .map(([day, parts]) => ({ day: new Date(day * DAY_MS).toISOString().slice(0, 10), ...sumOf(parts) }));
}

/** Days that the growth rate is measured over. */
const GROWTH_DAYS = 7;

interface Growth {
  /** Bodies of all stored records, in bytes on the wire. */
  readonly sent_bytes: number;
  readonly records: number;
  /** Database bytes per byte on the wire; null when there were none. */
  readonly ratio: number | null;
  /** Daily growth of the databases in bytes, averaged over the last seven days, before retention removes anything. */
  readonly growth_bytes_per_day: number | null;
  readonly disk_free_bytes: number | null;
  /** Days until the disk is full at this rate. */
  readonly days_left: number | null;
}

/** Wire size of everything stored, and how long the disk lasts. */
export function growthOf(
  { days }: StorageSums,
  { storedBytes, dataDirectory, now }: { storedBytes: number | null; dataDirectory: string; now: number },
): Growth {
  const { records, bytes: sent_bytes } = sumOf(days);
  const ratio = storedBytes === null || sent_bytes === 0 ? null : storedBytes / sent_bytes;
  const today = Math.floor(now / DAY_MS);
  const lately = days.filter(({ day }) => day > today - GROWTH_DAYS && day <= today);
  const first = lately.reduce((least, { day }) => Math.min(least, day), today);
  // The current day counts by the part that has passed; less than a day of data counts as one day.
  const length = Math.max(1, now / DAY_MS - first);
  const growth_bytes_per_day = ratio === null ? null : Math.round((sumOf(lately).bytes / length) * ratio);
  const disk_free_bytes = freeBytes(dataDirectory);
  const lasts = growth_bytes_per_day !== null && growth_bytes_per_day > 0 && disk_free_bytes !== null;
  const days_left = lasts ? Math.floor(disk_free_bytes / growth_bytes_per_day) : null;
  return { sent_bytes, records, ratio, growth_bytes_per_day, disk_free_bytes, days_left };
}

const sumOf = (days: readonly DaySum[]) => ({
  records: days.reduce((sum, each) => sum + each.records, 0),
  bytes: days.reduce((sum, each) => sum + each.bytes, 0),
});

function freeBytes(directory: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    return null; // not every file system reports it
  }
}

/** Size of a database file including its log. */
function bytesOf(path: string): number {
  return ["", "-wal"].reduce((sum, end) => sum + (statSync(path + end, { throwIfNoEntry: false })?.size ?? 0), 0);
}

function bytesIn(directory: string): number {
  let entries: Dirent[];
  try {
    entries = readdirSync(directory, { withFileTypes: true, recursive: true });
  } catch {
    return 0; // the directory is created with its first file
  }
  const sizes = entries
    .filter((entry) => entry.isFile())
    // A file that is deleted meanwhile counts as 0.
    .map((entry) => statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0);
}
