import { pathToFileURL } from "node:url";
import Libsql from "libsql";
import { GatewayError } from "../../errors.ts";
import type { ObjectPacks } from "../objects/object-packs.ts";
import { bind, bindTyped } from "./bind.ts";
import { BUSY_MS } from "./busy.ts";
import type { Database, Statement } from "./database.ts";
import { asStoreError } from "./failure.ts";
import { type FileIdentity, identify } from "./file-identity.ts";
import { type Connection, StatementCache } from "./statement-cache.ts";

/** The layout of a new file. */
export interface Layout {
  readonly pageBytes: number;
  /** The log holds this many pages before they are moved into the file: 32 MB. */
  readonly logPages: number;
}

/** Page cache of a connection in kilobytes: the recorder's holds a whole batch; others change a few rows at a time. */
export const CACHE_KB = { recorder: 16_000, other: 4_000 } as const;

interface LocalWriterOptions extends Layout {
  /** The recorder's size by default. */
  readonly cacheKb?: number | undefined;
  readonly objects?: ObjectPacks | undefined;
}

/**
 * Page size of a new file in bytes. 8 kB pages hold a record in fewer writes: each step takes a tenth less time. A pack fills
 * many pages and half of its last one: larger pages would make its file grow by up to a fifth.
 */
export const PAGE_BYTES = { records: 8_192, bodies: 4_096 } as const;

/** Statements run on the calling thread: a batch of thousands of rows costs less there than sending it to another thread. */
export class LocalWriter implements Database {
  readonly objects: ObjectPacks | undefined;
  readonly #path: string;
  readonly #options: LocalWriterOptions;
  #connection: Connection;
  #statements: StatementCache;
  #file: FileIdentity;

  constructor(path: string, makes: boolean, options: LocalWriterOptions) {
    this.#path = path;
    this.#options = options;
    this.objects = options.objects;
    this.#connection = openForWriting(path, makes, options);
    this.#statements = new StatementCache(this.#connection);
    this.#file = identify(path);
  }

  async batch(statements: readonly Statement[]): Promise<void> {
    try {
      this.#checkFile();
      this.#connection.exec("begin immediate");
      try {
        for (const { sql, args, hasTypedNumbers } of statements) {
          this.#statements.get(sql).run(args.map(hasTypedNumbers ? bindTyped : bind));
        }
        this.#connection.exec("commit");
      } catch (cause) {
        if (this.#connection.inTransaction) this.#connection.exec("rollback");
        throw cause;
      }
    } catch (cause) {
      throw asStoreError(cause, this.#path);
    }
  }

  async query<T>({ sql, args }: Statement): Promise<T[]> {
    try {
      this.#checkFile();
      return this.#statements.rows<T>(sql, args);
    } catch (cause) {
      throw asStoreError(cause, this.#path);
    }
  }

  async compact(pagesMax: number): Promise<number> {
    const [before] = await this.query<{ free: number; size: number }>(FREE_PAGES);
    try {
      // `exec` frees as many pages as requested; a prepared statement would free one and stay open.
      this.#connection.exec(`pragma incremental_vacuum(${Math.trunc(pagesMax)})`);
    } catch (cause) {
      throw asStoreError(cause, this.#path);
    }
    const [after] = await this.query<{ free: number; size: number }>(FREE_PAGES);
    return (before!.free - after!.free) * before!.size;
  }

  async settle(): Promise<void> {
    try {
      this.#checkFile();
      this.#statements.rows("pragma wal_checkpoint(truncate)", []);
    } catch (cause) {
      throw asStoreError(cause, this.#path);
    }
  }

  async queryTogether(statements: readonly Statement[]): Promise<unknown[][]> {
    try {
      this.#checkFile();
      this.#connection.exec("begin");
      try {
        return statements.map(({ sql, args }) => this.#statements.rows(sql, args));
      } finally {
        this.#connection.exec("commit");
      }
    } catch (cause) {
      throw asStoreError(cause, this.#path);
    }
  }

  async close(): Promise<void> {
    if (!this.#connection.open) return;
    this.#statements.clear();
    this.#connection.close();
  }

  /**
   * An open connection keeps writing into a file that was moved away or deleted, and those writes are lost. So nothing is
   * written while the file is missing, and a different file in its place is opened.
   */
  #checkFile(): void {
    if (!this.#connection.open) throw new GatewayError("database_unavailable", `${this.#path} is closed`);
    const file = identify(this.#path);
    if (file === this.#file) return;
    if (file === undefined) throw new GatewayError("database_unavailable", `${this.#path} is missing`);
    const connection = openForWriting(this.#path, false, this.#options);
    this.#statements.clear();
    this.#connection.close();
    this.#connection = connection;
    this.#statements = new StatementCache(connection);
    this.#file = file;
  }
}

const FREE_PAGES: Statement = {
  sql: "select freelist_count as free, page_size as size from pragma_freelist_count(), pragma_page_size()",
  args: [],
};

/** @param makes - whether to create a missing file. */
function openForWriting(
  path: string,
  makes: boolean,
  { pageBytes, logPages, cacheKb = CACHE_KB.recorder }: LocalWriterOptions,
): Connection {
  if (!makes && identify(path) === undefined) throw new GatewayError("database_unavailable", `${path} is missing`);
  let connection: Connection | undefined;
  try {
    connection = new Libsql(makes ? path : `${pathToFileURL(path).href}?mode=rw`, {});
    // The order matters: page size and incremental vacuum can be set only before the first write, and setting the journal
    // mode writes.
    connection.exec(`pragma busy_timeout=${BUSY_MS}; pragma page_size=${pageBytes}; pragma auto_vacuum=incremental`);
    connection.exec("pragma journal_mode=wal; pragma synchronous=normal");
    // A whole batch stays in memory until it is committed, and a page that many batches change is moved from the log into the
    // file only once: a third less time in the kernel.
    connection.exec(`pragma cache_size=-${cacheKb}; pragma wal_autocheckpoint=${logPages}`);
    // Overwrites deleted content: without this it stays readable in free pages until they are reused.
    connection.exec("pragma secure_delete=on");
    return connection;
  } catch (cause) {
    connection?.close();
    throw asStoreError(cause, path);
  }
}
