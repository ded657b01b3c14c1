import type { ObjectPacks } from "../objects/object-packs.ts";

export type Value = string | number | bigint | null | Uint8Array;

export interface Statement {
  readonly sql: string;
  readonly args: readonly Value[];
  /** Whether all of its numbers go into columns of type integer or real. Integers are then bound as they are, which is faster. */
  readonly hasTypedNumbers?: boolean;
}

/**
 * One database, a local file or a libSQL server.
 *
 * Failures that a caller can handle are GatewayErrors: `database_unavailable` (locked, missing, read-only, full, server
 * unreachable: try again later) and `query_timeout`. Other errors, such as a violated constraint, are passed on as the driver
 * throws them.
 */
export interface Database {
  /** One transaction, all or nothing. Statements are prepared once per text: keep the number of texts small. */
  batch(statements: readonly Statement[]): Promise<void>;
  /**
   * Rows as objects with the statement's column names, which must be distinct.
   *
   * Without `deadlineMs` a local query runs immediately on the calling thread and cannot be stopped: use it only for lookups
   * whose work an index bounds. With `deadlineMs` the query waits for a free connection and runs off the thread. When waiting
   * and running together exceed the deadline, it is stopped with `query_timeout`.
   */
  query<T>(statement: Statement, options?: { readonly deadlineMs?: number }): Promise<T[]>;
  /**
   * Returns at most this many unused pages to the file system; a server does that on its own.
   *
   * @returns bytes.
   */
  compact(pagesMax: number): Promise<number>;
  /** Moves the write-ahead log into the file and empties it, unless a reader still needs it. A server does that on its own. */
  settle(): Promise<void>;
  /** Runs several queries on one snapshot of the database; the deadline covers all of them. */
  queryTogether(statements: readonly Statement[], options: { readonly deadlineMs: number }): Promise<unknown[][]>;
  /**
   * Differs from the last result if another connection has committed since, or the file was replaced. Only for reading local
   * files, where it costs less than a query.
   */
  stamp?(): Promise<string>;
  /** Reads packs whose bytes are in an object store; undefined when none is configured. */
  readonly objects?: ObjectPacks | undefined;
  close(): Promise<void>;
}
