import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import Libsql from "libsql";
import { GatewayError } from "../../errors.ts";
import type { ObjectPacks } from "../objects/object-packs.ts";
import { BUSY_MS } from "./busy.ts";
import type { Database, Statement } from "./database.ts";
import { asStoreError, isLocked } from "./failure.ts";
import { identify } from "./file-identity.ts";
import { LocalReaders } from "./local-readers.ts";
import { type Connection, StatementCache } from "./statement-cache.ts";

/** How long a reader retries while the files are locked. Only crash recovery and other programs lock readers out. */
const LOCK_PATIENCE_MS = 2_000;
const LOCK_POLL_MS = 25;

interface Open {
  readonly connection: Connection;
  readonly statements: StatementCache;
  readonly readers: LocalReaders;
  /** Which files they are. */
  readonly files: string;
  readonly number: number;
}

/** Both files through read-only connections, opened at the first query and reopened after a file was replaced. */
export class LocalReader implements Database {
  readonly #path: string;
  readonly #bodiesPath: string;
  readonly objects: ObjectPacks | undefined;
  #open: Open | undefined;
  /** Counts the times that the files were opened. */
  #opened = 0;
  #closed = false;

  constructor(path: string, bodiesPath: string, objects?: ObjectPacks) {
    this.#path = path;
    this.objects = objects;
    this.#bodiesPath = bodiesPath;
  }

  async batch(): Promise<void> {
    throw new TypeError("this store was opened for reading");
  }

  async settle(): Promise<void> {
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

  async stamp(): Promise<string> {
    const { statements, files, number } = await this.#current();
    const [records] = statements.rows<{ data_version: number }>("pragma data_version", []);
    const [bodies] = statements.rows<{ data_version: number }>("pragma bodies_file.data_version", []);
    // Versions count what one connection has seen.
    return `${files} ${number} ${records!.data_version} ${bodies!.data_version}`;
  }

  async queryTogether(statements: readonly Statement[], options: { readonly deadlineMs: number }) {
    return this.#unlocked(options.deadlineMs, async (restMs) =>
      (await this.#current()).readers.queryTogether(statements, restMs()),
    );
  }

  /** Retries for a limited time while another connection locks the files, as happens briefly after a crash. */
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
      await sleep(LOCK_POLL_MS);
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
    this.#open = { connection, statements: new StatementCache(connection), readers, files, number: ++this.#opened };
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
 * The driver runs queries on a pool of its own whose size is fixed when the process starts. One query more than there are
 * threads would block all the others, so there are never more connections than threads.
 */
function readerCount(): number {
  const threads = Number(process.env["TOKIO_WORKER_THREADS"]);
  return Math.max(1, Math.min(8, Number.isInteger(threads) && threads > 0 ? threads : availableParallelism()));
}

/** `mode=ro` in a file: URL makes a connection read-only; the driver ignores its own option for that. */
function readOnly(path: string): string {
  return `${pathToFileURL(path).href}?mode=ro`;
}

/** Unqualified names also reach the attached tables, because no table name is in both files. */
function attach(bodiesPath: string): string {
  return `attach '${readOnly(bodiesPath).replaceAll("'", "''")}' as bodies_file`;
}
