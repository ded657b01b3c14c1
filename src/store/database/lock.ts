import { existsSync } from "node:fs";
import { join } from "node:path";
import Database from "libsql";

/** A directory that no other program may use while this one does. */
export interface DirectoryLock {
  release(): void;
}

/** Kept from the garbage collector, which would close the database and so open the lock. */
const held = new Set<Database.Database>();

/** Longer than a look at the lock takes. */
const LOOK_MS = 200;

/** Whether a program, a service as a rule, has the directory for itself. */
export function isDirectoryTaken(directory: string): boolean {
  const path = join(directory, "weir.lock");
  if (!existsSync(path)) return false;
  const database = new Database(path);
  try {
    database.exec("begin; select count(*) from sqlite_master; commit");
    return false;
  } catch {
    return true;
  } finally {
    database.close();
  }
}

/**
 * Takes the directory for this program, until it releases it or ends in whatever way.
 *
 * SQLite's own file lock does it: unlike a file with a process id in it, it goes away with the process that is killed,
 * and the number of a dead process that another one got means nothing to it.
 *
 * @returns undefined where another program has the directory.
 * @throws where the directory cannot be written.
 */
export function lockDirectory(directory: string): DirectoryLock | undefined {
  const database = new Database(join(directory, "weir.lock"));
  try {
    // For as long as a command looks who holds it.
    database.exec(`pragma busy_timeout = ${LOOK_MS}; pragma locking_mode = exclusive; begin exclusive`);
    held.add(database);
    return {
      release: () => {
        held.delete(database);
        database.close();
      },
    };
  } catch (error) {
    database.close();
    if (String((error as { code?: unknown }).code).startsWith("SQLITE_BUSY")) return undefined;
    throw error;
  }
}
