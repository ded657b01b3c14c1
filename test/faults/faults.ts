import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import Libsql from "libsql";

/** A file that something happens to. */
export interface Place {
  /** Everything that the test has made. */
  readonly root: string;
  readonly path: string;
  /** What it was some time before. */
  readonly older?: string | undefined;
}

/** @returns what takes the fault back where it can be, or `cannot` where it cannot happen to this file. */
type Fault = (place: Place) => (() => void) | "cannot" | undefined;

const NOBODY = 65_534;

/** What happens to files: a column each. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  gone: ({ path }) => void rmSync(path),
  empty: ({ path }) => void truncateSync(path, 0),
  "cut in half": ({ path }) => void truncateSync(path, statSync(path).size >> 1),
  "a bit flipped": ({ path }) => {
    const file = readFileSync(path);
    if (file.byteLength === 0) return "cannot";
    file[flippedIn(path, file)]! ^= 1;
    writeFileSync(path, file);
    return undefined;
  },
  "garbage in its place": ({ path }) =>
    void writeFileSync(path, Buffer.alloc(Math.max(statSync(path).size, 100), 0xa5)),
  "an older copy": ({ path, older }) => {
    if (older === undefined) return "cannot";
    copyFileSync(older, path);
    for (const suffix of ["-wal", "-shm"]) rmSync(path + suffix, { force: true });
    return undefined;
  },
  "read-only": ({ root, path }) => {
    const { mode } = statSync(path);
    chmodSync(path, mode & 0o555);
    const undo = leaveRoot(root);
    return () => {
      undo();
      if (existsSync(path)) chmodSync(path, mode);
    };
  },
  locked: ({ path }) => {
    if (!path.endsWith(".db") && !path.endsWith(".lock")) return "cannot";
    const other = new Libsql(path);
    try {
      other.exec("begin immediate");
      return () => other.close();
    } catch {
      other.close();
      return "cannot"; // the service has locked it itself
    }
  },
};

/** In the first bytes of a database; in the first body of a segment; in the middle of everything else. */
function flippedIn(path: string, file: Buffer): number {
  if (path.endsWith(".db") || path.endsWith(".lock")) return 3;
  const body = file.indexOf('"model":"m-1"');
  return body > 0 ? body : file.byteLength >> 1;
}

/** The whole disk, for every file of this process; the signal of the limit must be ignored. @returns what ends it. */
export function fillDisk(): () => void {
  const limit = (bytes: string) =>
    Bun.spawnSync(["prlimit", "--pid", String(process.pid), `--fsize=${bytes}:`], { stderr: "inherit" });
  limit("0");
  return () => void limit("unlimited");
}

/** Directories that no file can be made or deleted in. @returns what ends it. */
export function freeze(root: string, directories: readonly string[]): () => void {
  for (const each of directories) chmodSync(each, 0o500);
  const undo = leaveRoot(root);
  return () => {
    undo();
    for (const each of directories) chmodSync(each, 0o700);
  };
}

/** Root may write whatever it likes: what the test has made goes to another user, and this process with it. */
function leaveRoot(root: string): () => void {
  if (process.geteuid?.() !== 0) return () => {};
  const give = (path: string) => {
    chownSync(path, NOBODY, NOBODY);
    if (statSync(path).isDirectory()) for (const name of readdirSync(path)) give(join(path, name));
  };
  give(root);
  process.seteuid!(NOBODY);
  return () => process.seteuid!(0);
}
