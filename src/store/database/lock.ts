import { chmodSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import Database from "libsql";
import { flockDirectory } from "../../runtime/flock.ts";
import { identify } from "./file-identity.ts";

/** A directory that no other program may use while this one does. */
export interface DirectoryLock {
  /**
   * Takes the lock's file again where it was deleted or replaced.
   *
   * @returns "held" while it is as it was, "retaken" where it had to be, "lost" where another program has the directory now.
   */
  check(): "held" | "retaken" | "lost";
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
 * Two locks: the system's on the directory itself, where there is one, which outlives the deletion of any file; and
 * SQLite's own on a file in it, which works everywhere and which older programs look at. Unlike a file with a process id in
 * it, both go away with the process that is killed, and the number of a dead process that another one got means nothing.
 *
 * @returns undefined where another program has the directory.
 * @throws where the directory cannot be written.
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
        return "held"; // the directory cannot be written now, by no one
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
    // For as long as a command looks who holds it.
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
