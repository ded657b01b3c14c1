import type { ObjectPacks } from "../objects/object-packs.ts";

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
