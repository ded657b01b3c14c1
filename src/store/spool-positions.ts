import type { Config } from "../config.ts";
import type { Position } from "../spool/frame.ts";
import { nodeIdOf } from "./nodes/nodes.ts";
import { type Database, localPath, type Statement } from "./store.ts";

/** Name of the position in a local database; on a server it is the node's id. */
const OWN = "main";

/** How far a spool has been recorded. */
export interface Positions {
  /** Reading must start here to see every unrecorded exchange completely. */
  readonly resume: Position;
  /** Every exchange that ended before here is recorded. */
  readonly read: Position;
}

/** Names of a data directory's positions in its database. */
export interface Places {
  readonly resume: string;
  readonly read: string;
}

export function placesOf(config: Config): Places {
  const resume = localPath(config) === undefined ? nodeIdOf(config.data_dir) : OWN;
  return { resume, read: `${resume}:read` };
}

/** Where the next start resumes reading the spool; undefined when nothing was read yet. */
export function readPosition(config: Config, records: Database): Promise<Position | undefined> {
  return readPositionOf(records, placesOf(config).resume);
}

export async function readPositionOf(records: Database, name: string): Promise<Position | undefined> {
  const sql = `select segment, "offset" from spool_positions where spool = ?`;
  const [row] = await records.query<Position>({ sql, args: [name] });
  return row;
}

/** Sets both positions of this data directory's spool; everything before them is recorded. */
export async function movePosition(config: Config, records: Database, { segment, offset }: Position): Promise<void> {
  const { resume, read } = placesOf(config);
  const sql = `update spool_positions set segment = ?, "offset" = ? where spool in (?, ?)`;
  await records.batch([{ sql, args: [segment, offset, resume, read] }]);
}

/** Undefined when nothing was ever committed. */
export async function readPositions(records: Database, places: Places): Promise<Positions | undefined> {
  const rows = await records.query<{ spool: string; segment: number; offset: number }>({
    sql: `select spool, segment, "offset" from spool_positions where spool in (?, ?)`,
    args: [places.resume, places.read],
  });
  const at = (name: string) => rows.find(({ spool }) => spool === name);
  const [resume, read] = [at(places.resume), at(places.read)];
  if (resume === undefined) return undefined;
  return { resume, read: read ?? resume };
}

export function setPositions(places: Places, { resume, read }: Positions, now: number): Statement[] {
  return [setPosition(places.resume, resume, now), setPosition(places.read, read, now)];
}

export function setPosition(name: string, { segment, offset }: Position, now: number): Statement {
  return {
    sql: `insert into spool_positions (spool, segment, "offset", updated_at) values (?, ?, ?, ?)
      on conflict (spool) do update set segment = excluded.segment, "offset" = excluded."offset", updated_at = excluded.updated_at`,
    args: [name, segment, offset, now],
  };
}
