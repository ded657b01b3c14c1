import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Config } from "../config.ts";
import { openLocal } from "./database/local.ts";
import { openRemote } from "./database/remote.ts";
import { openReplica } from "./database/replica.ts";
import type { Store, StoreMode } from "./databases.ts";
import { openObjects } from "./objects/open-objects.ts";

/** Path of the records' file; undefined when the database is a server. */
export function localPath(config: Config): string | undefined {
  const url = config.database_url;
  if (url === "") return join(config.data_dir, "weir.db");
  if (url.startsWith("file://")) return fileURLToPath(url);
  if (url.startsWith("file:")) return url.slice("file:".length);
  return undefined;
}

/**
 * Opens the configured database.
 *
 * "write" creates missing local files and throws when they cannot be opened; call `migrate` next. "change" throws when they
 * are missing. "read" and "current" never throw here: while the database is unavailable, their queries do.
 *
 * @param cacheKb - page cache of each local file's connection for writing, in kilobytes; the recorder's size by default.
 */
export async function openStore(config: Config, mode: StoreMode, cacheKb?: number): Promise<Store> {
  const path = localPath(config);
  const objects = openObjects(config);
  if (path !== undefined) return openLocal(path, mode, { cacheKb, objects });
  return mode === "read" && config.database_read_url !== ""
    ? openReplica(config, objects)
    : openRemote(config, objects);
}

export type { Database, Statement, Value } from "./database/database.ts";
export type { Store, StoreMode } from "./databases.ts";
