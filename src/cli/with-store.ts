import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../config.ts";
import { fileProblem } from "../file-problem.ts";
import { lockDirectory } from "../store/database/lock.ts";
import { whileLocked } from "../store/database/while-locked.ts";
import { migrate } from "../store/migrate.ts";
import { type Database, localPath, openStore, type Store } from "../store/store.ts";
import { CommandError } from "./usage-error.ts";

/** How long a command waits for another one that creates the databases. */
const MAKING_MS = 10_000;
const POLL_MS = 20;

/** Opens both databases, with tables of this version; works beside a running service, and before the first start. */
export async function withStore<T>(config: Config, work: (store: Store) => Promise<T>): Promise<T> {
  reachDirectory(config);
  // A recorder locks the files for a batch, other commands while they create tables.
  const store = await openedOrMade(config);
  try {
    await whileLocked(() => migrate(store));
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Creates the data directory if it is missing. @throws CommandError if this user has no access to it. */
export function reachDirectory({ data_dir: path }: Config): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw unusable(path, error);
  }
}

function unusable(path: string, error: unknown): CommandError {
  return new CommandError(`data_dir = ${JSON.stringify(path)} cannot be used: ${fileProblem(error)}`, error);
}

/** Runs with the database that holds keys, domains, limits and prices. */
export function withRecords<T>(config: Config, work: (records: Database) => Promise<T>): Promise<T> {
  return withStore(config, ({ records }) => work(records));
}

/**
 * A running service would use an empty database as its own: if files are missing while a service holds the directory, they
 * were moved away. Another command locks it only while it creates the files; wait for it.
 */
async function openedOrMade(config: Config): Promise<Store> {
  const path = localPath(config);
  const endsAt = performance.now() + MAKING_MS;
  for (;;) {
    if (path === undefined || existsSync(path)) return whileLocked(() => openStore(config, "write"));
    const lock = lockedFor(config.data_dir);
    if (lock !== undefined) {
      try {
        return await whileLocked(() => openStore(config, "write"));
      } finally {
        lock.release();
      }
    }
    if (performance.now() > endsAt) return openStore(config, "change");
    await sleep(POLL_MS);
  }
}

function lockedFor(path: string): ReturnType<typeof lockDirectory> {
  try {
    return lockDirectory(path);
  } catch (error) {
    throw unusable(path, error);
  }
}
