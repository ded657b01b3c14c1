import { chmodSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import Database from "libsql";
import { flockDirectory } from "../../runtime/flock.ts";
import { identify } from "./file-identity.ts";

/** A lock on a directory, which no other program can use meanwhile. */
export interface DirectoryLock {
  /**
   * Takes the lock file again when it was deleted or replaced.
   *
   * @returns "held" when nothing changed, "retaken" when it was taken again, "lost" when another program has the directory
   * now.
   */
  check(): "held" | "retaken" | "lost";
  release(): void;
}

/** Keeps connections from the garbage collector, which would close the database and so release the lock. */
const held = new Set<Database.Database>();

/** Longer than a check of the lock takes. */
const LOOK_MS = 200;

/** Whether another program, usually a service, has locked the directory. */
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
 * Locks the directory for this program until it releases the lock or ends in any way.
 *
 * There are two locks. The operating system's, where available, is on the directory itself and survives the deletion of any
 * file in it. SQLite's is on a file in the directory; it works everywhere, and older versions check it. Unlike a pid file,
 * both end with a killed process, and a reused process id cannot mislead them.
 *
 * @returns undefined when another program has the directory.
 * @throws when the directory cannot be written.
 */
export function lockDirectory(directory: string): DirectoryLock | undefined {
  const path = join(directory, "weir.lock");
  const whole = flockDirectory(directory);
  if (whole === "taken") return undefined;
  let file: Locked | undefined;
  try {
    file = whole === undefined ? lockFile(path) : lockSoundFile(path);
  } finally {
    if (file === undefined) whole?.release();
  }
  if (file === undefined) return undefined;
  let current = file;
  return {
    check() {
      if (identify(path) === current.identity) return "held";
      try {
        const again = lockFile(path);
        if (again === undefined) return "lost";
        current.close();
        current = again;
        return "retaken";
      } catch {
        return "held"; // the directory cannot be written now, by any program
      }
    },
    release() {
      current.close();
      whole?.release();
    },
  };
}

interface Locked {
  readonly identity: ReturnType<typeof identify>;
  close(): void;
}

/** A damaged file is recreated: the directory is locked, so no other process uses it. */
function lockSoundFile(path: string): Locked | undefined {
  try {
    return lockFile(path);
  } catch (error) {
    if ((error as { code?: unknown }).code !== "SQLITE_NOTADB") throw error;
    rmSync(path);
    return lockFile(path);
  }
}

function lockFile(path: string): Locked | undefined {
  const database = new Database(path);
  try {
    // Longer than `isDirectoryTaken` of another program holds its read lock.
    database.exec(`pragma busy_timeout = ${LOOK_MS}; pragma locking_mode = exclusive; begin exclusive`);
    chmodSync(path, 0o600);
    held.add(database);
    return {
      identity: identify(path),
      close: () => {
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
