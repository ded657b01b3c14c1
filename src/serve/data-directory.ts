import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { basename, join, sep } from "node:path";
import type { Config } from "../config.ts";
import { fileProblem } from "../file-problem.ts";
import { readTip } from "../spool/tip-file.ts";
import { bodiesPath } from "../store/database/local.ts";
import { type DirectoryLock, lockDirectory } from "../store/database/lock.ts";
import { localPath } from "../store/store.ts";
import { StartError } from "./start-error.ts";

/** Permission bits of everyone except the owner. */
const OTHERS = 0o077;
/** A smaller spool has only the first frame of a run and no traffic: its start may have failed before the database existed. */
const EMPTY_SPOOL_BYTES = 1_024;

/**
 * Creates the data directory, readable only by its owner, and locks it for this program. Files that this process creates
 * from here on are readable only by their owner too.
 *
 * @param options - `dropIns: false` leaves the folders of drop-ins alone.
 * @throws StartError if it cannot be written or another service runs in it.
 */
export function openDataDirectory(config: Config, options: { readonly dropIns?: boolean } = {}): DirectoryLock {
  const { data_dir: path } = config;
  let lock: DirectoryLock | undefined;
  try {
    process.umask(process.umask() | OTHERS);
    const folders = options.dropIns === false ? [] : [config.providers_dir, config.plugins_dir];
    const dropIns = folders.filter((each) => each.startsWith(path + sep));
    for (const each of [path, ...dropIns]) mkdirSync(each, { recursive: true, mode: 0o700 });
    lock = lockDirectory(path);
    if (lock !== undefined) closeToOthers(path);
  } catch (error) {
    lock?.release();
    throw new StartError(`data_dir = ${JSON.stringify(path)} cannot be used: ${fileProblem(error)}`, error);
  }
  if (lock === undefined) {
    throw new StartError(
      `data_dir = ${JSON.stringify(path)} is in use by another weir serve; stop it or set another data_dir`,
    );
  }
  return lock;
}

/**
 * Refuses a start that would create an empty database in place of a missing one, and so hide the loss of its contents.
 *
 * @throws StartError that names what is missing, and how to continue without it.
 */
export function refuseMissingDatabase(config: Config): void {
  const path = localPath(config);
  if (path === undefined || config.accept_missing_database === "yes") return;
  const files = [path, bodiesPath(path)];
  const isUsedSpool = (readTip(join(config.data_dir, "spool"))?.offset ?? 0) > EMPTY_SPOOL_BYTES;
  // A first start that was killed leaves an empty file; with a used spool, the file had contents.
  const missing = files.filter((each) => !existsSync(each) || (isUsedSpool && statSync(each).size === 0));
  if (missing.length === 0) return;
  const isUsed = missing.length < files.length || isUsedSpool;
  if (!isUsed) return;
  const beside =
    missing.length < files.length ? basename(files.find((each) => !missing.includes(each))!) : "a used spool";
  throw new StartError(
    `${missing.join(" and ")} ${missing.length > 1 ? "are" : "is"} missing or empty beside ${beside}: put it back, or restore a backup ` +
      "(weir restore); to continue without what it held, start once with WEIR_ACCEPT_MISSING_DATABASE=yes",
  );
}

/** Files here hold bodies and hashes of keys, so other users lose access. Files that other users own cannot be changed. */
function closeToOthers(directory: string): void {
  const own = process.getuid?.();
  const close = (path: string) => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found !== undefined && (found.mode & OTHERS) !== 0 && found.uid === own) chmodSync(path, found.mode & ~OTHERS);
  };
  close(directory);
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (entry.isFile() || entry.isDirectory()) close(join(directory, entry.name));
  }
  const spool = join(directory, "spool");
  if (existsSync(spool)) for (const name of readdirSync(spool)) close(join(spool, name));
}
