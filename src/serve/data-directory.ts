import { chmodSync, mkdirSync, statSync } from "node:fs";
import { sep } from "node:path";
import type { Config } from "../config.ts";
import { messageOf } from "../observe.ts";
import { type DirectoryLock, lockDirectory } from "../store/database/lock.ts";
import { StartError } from "./start-error.ts";

/**
 * Makes the data directory, readable by its owner alone, and takes it for this program.
 *
 * @param options - `dropIns: false` leaves the folders of drop-ins alone.
 * @throws StartError where it cannot be written or another service runs in it.
 */
export function openDataDirectory(config: Config, options: { readonly dropIns?: boolean } = {}): DirectoryLock {
  const { data_dir: path } = config;
  let lock: DirectoryLock | undefined;
  try {
    const folders = options.dropIns === false ? [] : [config.providers_dir, config.plugins_dir];
    const dropIns = folders.filter((each) => each.startsWith(path + sep));
    for (const each of [path, ...dropIns]) mkdirSync(each, { recursive: true, mode: 0o700 });
    // What others may read in it is bodies and hashes of keys. A directory of somebody else's cannot be changed.
    if ((statSync(path).mode & 0o077) !== 0 && statSync(path).uid === process.getuid?.()) chmodSync(path, 0o700);
    lock = lockDirectory(path);
  } catch (error) {
    throw new StartError(`data_dir = ${JSON.stringify(path)} cannot be used: ${messageOf(error)}`, error);
  }
  if (lock === undefined) {
    throw new StartError(
      `data_dir = ${JSON.stringify(path)} is in use by another weir serve; stop it or set another data_dir`,
    );
  }
  return lock;
}
