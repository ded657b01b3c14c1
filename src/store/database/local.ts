import { mkdirSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import Libsql from "libsql";
import { GatewayError } from "../../errors.ts";
import type { Database, Statement, Store, StoreMode } from "../store.ts";
import { bind } from "./bind.ts";
import { asStoreError, isLocked } from "./failure.ts";
import { LocalReaders } from "./local-readers.ts";
import { type Connection, StatementCache } from "./statement-cache.ts";

/** How long a statement waits for another process's lock. Short, because it blocks the thread: the caller tries again. */
const BUSY_MS = 200;
/** How long a reader tries again while the files are locked. Nothing but a crash's recovery and foreign programs locks readers out. */
const LOCK_PATIENCE_MS = 2_000;
const LOCK_POLL_MS = 25;

/** How a file is laid out that is made anew. */
interface Layout {
  readonly pageBytes: number;
  /** Pages that the log holds before they are moved into the file: 32 MB. */
  readonly logPages: number;
}

/** Larger pages than the default ones hold a record, and one's bodies, in fewer writes: a tenth less time for each step. */
const RECORDS_FILE: Layout = { pageBytes: 8_192, logPages: 4_000 };
const BODIES_FILE: Layout = { pageBytes: 16_384, logPages: 2_000 };

/** The bodies' file beside the records' file. */
export function bodiesPath(path: string): string {
  return join(dirname(path), "bodies.db");
}

/** Opens the records' file at `path` and `bodies.db` beside it. */
export function openLocal(path: string, mode: StoreMode): Store {
  if (mode === "read" || mode === "current") {
    const both = new LocalReader(path, bodiesPath(path));
    return { records: both, bodies: both, close: () => both.close() };
  }
  const makes = mode === "write";
  if (makes) mkdirSync(dirname(path), { recursive: true });
  const records = new LocalWriter(path, makes, RECORDS_FILE);
  const bodies = new LocalWriter(bodiesPath(path), makes, BODIES_FILE);
  return {
    records,
    bodies,
    close: async () => {
      await records.close();
      await bodies.close();
    },
  };
}

/** Statements run on the calling thread: a batch of thousands of rows costs less there than the way to another one. */
class LocalWriter implements Database {
  readonly #path: string;
  readonly #layout: Layout;
  #connection: Connection;
  #statements: StatementCache;
  #file: FileIdentity;

  constructor(path: string, makes: boolean, layout: Layout) {
    this.#path = path;
    this.#layout = layout;
    this.#connection = openForWriting(path, makes, layout);
    this.#statements = new StatementCache(this.#connection);
    this.#file = identify(path);
  }

  async batch(statements: readonly Statement[]): Promise<void> {
    try {
      this.#checkFile();
      this.#connection.exec("begin immediate");
      try {
        for (const { sql, args } of statements) this.#statements.get(sql).run(args.map(bind));
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
      // `exec` frees as many as asked; a prepared statement would free one and stay open.
      this.#connection.exec(`pragma incremental_vacuum(${Math.trunc(pagesMax)})`);
    } catch (cause) {
      throw asStoreError(cause, this.#path);
    }
    const [after] = await this.query<{ free: number; size: number }>(FREE_PAGES);
    return (before!.free - after!.free) * before!.size;
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
   * An open connection goes on writing into a file that was moved away or deleted, and what it writes is lost. So
   * while the file is missing nothing is written, and another file in its place is opened anew.
   */
  #checkFile(): void {
    if (!this.#connection.open) throw new GatewayError("database_unavailable", `${this.#path} is closed`);
    const file = identify(this.#path);
    if (file === this.#file) return;
    if (file === undefined) throw new GatewayError("database_unavailable", `${this.#path} is missing`);
    const connection = openForWriting(this.#path, false, this.#layout);
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

/** Both files through read-only connections; opened at the first query, opened anew when a file was replaced. */
class LocalReader implements Database {
  readonly #path: string;
  readonly #bodiesPath: string;
  #open: { connection: Connection; statements: StatementCache; readers: LocalReaders; files: string } | undefined;
  #closed = false;

  constructor(path: string, bodiesPath: string) {
    this.#path = path;
    this.#bodiesPath = bodiesPath;
  }

  async batch(): Promise<void> {
    throw new TypeError("this store was opened for reading");
  }

  async compact(): Promise<number> {
    throw new TypeError("this store was opened for reading");
  }

  async query<T>(statement: Statement, options: { readonly deadlineMs?: number } = {}): Promise<T[]> {
    const { deadlineMs } = options;
    return this.#unlocked(deadlineMs ?? LOCK_PATIENCE_MS, async (restMs) => {
      const { statements, readers } = await this.#current();
      if (deadlineMs === undefined) return statements.rows<T>(statement.sql, statement.args);
      return readers.query<T>(statement, restMs());
    });
  }

  async queryTogether(statements: readonly Statement[], options: { readonly deadlineMs: number }) {
    return this.#unlocked(options.deadlineMs, async (restMs) =>
      (await this.#current()).readers.queryTogether(statements, restMs()),
    );
  }

  /** Tries again while another connection holds the files, as it does for a moment after a crash, but not for long. */
  async #unlocked<T>(deadlineMs: number, query: (restMs: () => number) => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    const passedMs = () => performance.now() - startedAt;
    for (;;) {
      try {
        return await query(() => Math.max(1, deadlineMs - passedMs()));
      } catch (cause) {
        const error = asStoreError(cause, this.#path);
        if (!isLocked(cause) || passedMs() > Math.min(deadlineMs, LOCK_PATIENCE_MS)) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, LOCK_POLL_MS));
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#release();
  }

  async #current() {
    if (this.#closed) throw new GatewayError("database_unavailable", `${this.#path} is closed`);
    const records = identify(this.#path);
    const bodies = identify(this.#bodiesPath);
    if (records === undefined || bodies === undefined) {
      throw new GatewayError(
        "database_unavailable",
        `${records === undefined ? this.#path : this.#bodiesPath} is missing`,
      );
    }
    const files = `${records} ${bodies}`;
    if (this.#open?.files === files) return this.#open;
    void this.#release();
    const connection = new Libsql(readOnly(this.#path), {});
    try {
      connection.exec(`pragma busy_timeout=${BUSY_MS}; ${attach(this.#bodiesPath)}`);
    } catch (cause) {
      connection.close();
      throw cause;
    }
    const readers = new LocalReaders(readOnly(this.#path), attach(this.#bodiesPath), readerCount());
    this.#open = { connection, statements: new StatementCache(connection), readers, files };
    return this.#open;
  }

  async #release(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return;
    open.statements.clear();
    open.connection.close();
    await open.readers.close();
  }
}

/**
 * The driver runs queries on a pool of its own whose size is fixed when the process starts: one more query than it
 * has threads would block all the others, so there are never more connections than threads.
 */
function readerCount(): number {
  const threads = Number(process.env["TOKIO_WORKER_THREADS"]);
  return Math.max(1, Math.min(8, Number.isInteger(threads) && threads > 0 ? threads : availableParallelism()));
}

/** `mode=ro` in a file: address is what makes a connection read-only; the driver ignores its own option for it. */
function readOnly(path: string): string {
  return `${pathToFileURL(path).href}?mode=ro`;
}

/** Unqualified names reach the attached tables too, because no name is in both files. */
function attach(bodiesPath: string): string {
  return `attach '${readOnly(bodiesPath).replaceAll("'", "''")}' as bodies_file`;
}

/** @param makes - whether a file that is missing is made. */
function openForWriting(path: string, makes: boolean, { pageBytes, logPages }: Layout): Connection {
  if (!makes && identify(path) === undefined) throw new GatewayError("database_unavailable", `${path} is missing`);
  try {
    const connection = new Libsql(makes ? path : `${pathToFileURL(path).href}?mode=rw`, {});
    // The order matters: page size and vacuuming in steps can be chosen only before anything, the journal mode included,
    // is written.
    connection.exec(`pragma busy_timeout=${BUSY_MS}; pragma page_size=${pageBytes}; pragma auto_vacuum=incremental`);
    connection.exec("pragma journal_mode=wal; pragma synchronous=normal");
    // A whole batch stays in memory until it is committed, and a page that many batches touch is moved from the log into
    // the file once for all of them: a third less time in the kernel.
    connection.exec(`pragma cache_size=-16000; pragma wal_autocheckpoint=${logPages}`);
    return connection;
  } catch (cause) {
    throw asStoreError(cause, path);
  }
}

/** Changes when a path names another file than before; undefined where there is none. */
type FileIdentity = string | undefined;

function identify(path: string): FileIdentity {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}
