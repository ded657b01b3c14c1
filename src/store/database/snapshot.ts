import { chmodSync, chownSync, closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import Connection from "libsql/promise";
import { MIGRATIONS } from "../migrations/list.ts";
import { asStoreError } from "./failure.ts";
import { foreignTables, isMigrated, MADE_TABLES, type MadeTable } from "./foreign-tables.ts";
import { PAGE_BYTES } from "./local-writer.ts";
import { toObjects } from "./statement-cache.ts";

/** Milliseconds that opening waits for a lock; the copy itself neither waits for locks nor blocks others. */
const BUSY_MS = 5_000;
/** A busy recorder holds its lock for a fraction of this. */
const LOCK_MS = 2_000;

/**
 * Copies one database file, as of now, into a new compact file without a log. Writers continue meanwhile, and the log grows
 * until the copy is complete. Runs off the thread.
 *
 * @throws what the driver throws, such as a full disk; the copy is then incomplete.
 */
export async function snapshotFile(path: string, copy: string): Promise<void> {
  await withFile(path, (connection) => connection.exec(`vacuum into '${copy.replaceAll("'", "''")}'`));
}

/**
 * Rewrites a file that no other process has open, without free pages and with the page size of a new file. The old file stays
 * until the new one is complete.
 */
export async function rewriteFile(path: string, kind: FileKind): Promise<void> {
  const copy = `${path}.compact`;
  rmSync(copy, { force: true });
  const connection = new Connection(path, {});
  try {
    // Leaves log mode first, so that the file is complete on its own: an old log would be applied to the new file.
    await connection.exec(`pragma busy_timeout=${BUSY_MS}; pragma journal_mode=delete`);
    await connection.exec(`pragma page_size=${PAGE_BYTES[kind]}; vacuum into '${copy.replaceAll("'", "''")}'`);
  } catch (cause) {
    rmSync(copy, { force: true });
    throw asStoreError(cause, path);
  } finally {
    connection.close();
  }
  const { mode, uid, gid } = statSync(path);
  chmodSync(copy, mode);
  if (process.getuid?.() === 0) chownSync(copy, uid, gid);
  const file = openSync(copy, "r+");
  fsyncSync(file);
  closeSync(file);
  renameSync(copy, path);
}

/** State of a database file. */
export interface FileReport {
  /** Number of applied migrations of this file; 0 for a file without tables. */
  readonly version: number;
  /** Tables of another program, if Weir has never migrated the file. */
  readonly foreign: readonly string[];
  /** Number of rows of each counted table. */
  readonly rows: Readonly<Record<string, number>>;
  /** Problems that SQLite finds; empty for a sound file. Checked only on request, because it reads the whole file. */
  readonly faults: readonly string[];
}

export type FileKind = "records" | "bodies";

/** Tables whose rows are counted. */
const COUNTED: Readonly<Record<FileKind, readonly string[]>> = {
  records: ["requests", "properties", "keys"],
  bodies: ["contents", "packs", "bodies", "blobs", "texts"],
};

/** Reads a database file without changing it, off the thread. @throws when it is not a database or cannot be opened. */
export function inspectFile(
  path: string,
  kind: FileKind,
  options: { readonly soundness?: boolean; readonly counts?: boolean } = {},
): Promise<FileReport> {
  return withFile(path, async (connection) => {
    const rows: Record<string, number> = {};
    const tables = toObjects<MadeTable>(["name", "sql"], await all(connection, MADE_TABLES));
    const names = new Set(tables.map(({ name }) => name));
    const [marked] = isMigrated(tables)
      ? await all(connection, `select coalesce(max(version), 0) from migrations where target = '${kind}'`)
      : [];
    for (const table of options.counts ? COUNTED[kind] : []) {
      if (names.has(table)) rows[table] = Number(first((await all(connection, `select count(*) from ${table}`))[0]));
    }
    const said = options.soundness ? (await all(connection, "pragma quick_check(20)")).map(first).map(String) : [];
    const faults = said.filter((line) => line !== "ok");
    return { version: Number(first(marked) ?? 0), foreign: foreignTables(tables), rows, faults };
  });
}

/** Whether the file can be locked for writing within a few seconds. Writes nothing. Runs off the thread. */
export async function isWritable(path: string): Promise<boolean> {
  const connection = new Connection(path, {});
  try {
    await connection.exec(`pragma busy_timeout=${LOCK_MS}`);
    await connection.exec("begin immediate; rollback");
    return true;
  } catch {
    return false; // locked, or its directory is not writable: another check reports that
  } finally {
    connection.close();
  }
}

/** The version that this program migrates each file to. */
export function newestVersion(kind: FileKind): number {
  return MIGRATIONS.filter(({ target }) => target === kind).length;
}

/** Names of the migrations that a file of this version still lacks. */
export function stepsAfter(kind: FileKind, version: number): readonly string[] {
  return MIGRATIONS.filter((step) => step.target === kind && step.version > version).map(({ name }) => name);
}

async function withFile<T>(path: string, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = new Connection(`${pathToFileURL(path).href}?mode=ro`, {});
  try {
    await connection.exec(`pragma busy_timeout=${BUSY_MS}`);
    return await work(connection);
  } catch (cause) {
    throw asStoreError(cause, path);
  } finally {
    connection.close();
  }
}

/** Only the first step of `all` runs off the thread. */
async function all(connection: Connection, sql: string): Promise<readonly (readonly unknown[])[]> {
  const statement = await connection.prepare(sql);
  return (await statement.raw(true).all([])) as unknown[][];
}

function first(row: readonly unknown[] | undefined): unknown {
  return row?.[0];
}
