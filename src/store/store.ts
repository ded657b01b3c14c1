import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Config } from "../config.ts";
import type { BodyStore } from "./bodies/body-store.ts";
import { openLocal } from "./database/local.ts";
import { openRemote } from "./database/remote.ts";
import { openReplica } from "./database/replica.ts";
import type { ObjectPacks } from "./objects/object-packs.ts";
import { openObjects } from "./objects/open-objects.ts";

export type Value = string | number | bigint | null | Uint8Array;

export interface Statement {
  readonly sql: string;
  readonly args: readonly Value[];
}

/**
 * One database, a local file or a libSQL server.
 *
 * Failures are GatewayErrors where the caller can do something: `database_unavailable` (locked, missing, read-only,
 * full, server away: try again later), `query_timeout`. Anything else, a broken constraint for example, comes as the
 * driver throws it.
 */
export interface Database {
  /** One transaction, all or nothing. Statements are prepared once per text: keep the number of texts small. */
  batch(statements: readonly Statement[]): Promise<void>;
  /**
   * Rows as objects, names as the statement gives them; they must differ from each other.
   *
   * Without `deadlineMs` a local query runs on the calling thread at once and cannot be stopped: only for lookups
   * whose work is bounded by an index. With it the query runs off the thread, waits for a free connection, and is
   * stopped with `query_timeout` when both together took longer.
   */
  query<T>(statement: Statement, options?: { readonly deadlineMs?: number }): Promise<T[]>;
  /**
   * Gives pages that hold nothing any more back to the file system, so many at most; a server does that by itself.
   *
   * @returns bytes.
   */
  compact(pagesMax: number): Promise<number>;
  /** Moves the log into the file and empties it, unless a reader still needs it. A server sees to that by itself. */
  settle(): Promise<void>;
  /** Several queries that see the database as of one moment; the deadline is that of all together. */
  queryTogether(statements: readonly Statement[], options: { readonly deadlineMs: number }): Promise<unknown[][]>;
  /** Reads packs whose bytes are in an object store; undefined where none is configured. */
  readonly objects?: ObjectPacks | undefined;
  close(): Promise<void>;
}

/**
 * Both databases. Locally they are two files, written in two transactions: bodies first, records second, so that no
 * record is ever without its body. A connection of mode "read" sees the tables of both, whichever it is asked through.
 */
export interface Store {
  readonly records: Database;
  /** The same object as `records` on a libSQL server. */
  readonly bodies: Database;
  /** What was said in requests, which is in `bodies`. */
  readonly content: BodyStore;
  close(): Promise<void>;
}

/**
 * `read` is for records, and may go to a replica; `current` is for reading what was just written, and for what must not
 * be told from memory. `change` is `write` where the database must be there already: a thread that opened it while it was
 * moved away would leave an empty one in its place, which the recorder would then take for the database.
 */
export type StoreMode = "write" | "change" | "read" | "current";

/**
 * Opens the configured database.
 *
 * "write" makes local files where they are missing and fails at once where they cannot be opened; `migrate` comes
 * next. "change" fails where they are missing. "read" and "current" never fail here: while the database is away their queries do.
 *
 * @param cacheKb - pages that each local file's connection for writing holds; what the recorder needs, unless given.
 */
export async function openStore(config: Config, mode: StoreMode, cacheKb?: number): Promise<Store> {
  const path = localPath(config);
  const objects = openObjects(config);
  if (path !== undefined) return openLocal(path, mode, { cacheKb, objects });
  return mode === "read" && config.database_read_url !== ""
    ? openReplica(config, objects)
    : openRemote(config, objects);
}

/** Path of the records' file, or undefined where the database is a server. */
export function localPath(config: Config): string | undefined {
  const url = config.database_url;
  if (url === "") return join(config.data_dir, "weir.db");
  if (url.startsWith("file://")) return fileURLToPath(url);
  if (url.startsWith("file:")) return url.slice("file:".length);
  return undefined;
}
