import type { Config } from "../config.ts";
import { checkRecords } from "../engine/writer.ts";
import { GatewayError } from "../errors.ts";
import { hashKey, type KeySnapshot, whyUnusable } from "../keys.ts";
import type { Log } from "../log.ts";
import { ensureFirstKey, removeKey, snapshotKeys } from "../store/keys.ts";
import { checkVersions, migrate } from "../store/migrate.ts";
import { MIGRATIONS } from "../store/migrations/list.ts";
import { type Database, openStore } from "../store/store.ts";
import type { RecorderFunctions } from "../threads.ts";
import { inTime, type Supervised } from "./supervise.ts";

/** How long a start waits for a writable database before it checks whether it can be read. */
export const DATABASE_PATIENCE_MS = 1_500;

/** How long it waits for the tables of records. */
const RECORDS_MS = 3_000;

/** How many repeated waits pass before they are logged: a slow machine needs time. */
const QUIET_WAITS = 3;

export interface FirstKeysOptions {
  readonly config: Config;
  readonly log: Log;
}

interface FirstKeys {
  /** All keys, so that the gateway need not wait for another thread. */
  readonly keys: KeySnapshot[];
  /** The key that was created because there was none: shown once the service is ready. */
  readonly made?: string | undefined;
  /** Whether the database accepted writes at the time of the check. */
  readonly isWritable: boolean;
}

/**
 * Creates the first key if there is none. If the database cannot be written but has keys, the service starts regardless:
 * records wait in the spool.
 */
export async function firstKeys(
  options: FirstKeysOptions,
  recorder: Supervised<RecorderFunctions>,
  patienceMs = DATABASE_PATIENCE_MS,
): Promise<FirstKeys> {
  const first = await findOrMakeKeys(options, recorder, patienceMs);
  noteOtherKey(options, first.keys);
  return first;
}

/** The configured key is used once: with a database that has keys it is not one of them unless it made the first. */
function noteOtherKey({ config, log }: FirstKeysOptions, keys: readonly KeySnapshot[]): void {
  if (config.bootstrap_key === "") return;
  const hash = hashKey(config.bootstrap_key);
  if (keys.some((key) => key.hash === hash && whyUnusable(key, Date.now()) === undefined)) return;
  log.warn(
    "WEIR_BOOTSTRAP_KEY is not a valid key: it only sets the value of the first key when a database has none; create further keys with: weir keys create",
  );
}

async function findOrMakeKeys(
  options: FirstKeysOptions,
  recorder: Supervised<RecorderFunctions>,
  patienceMs: number,
): Promise<FirstKeys> {
  // If this fails the recorder fails too; it retries and reports why. A database of a newer Weir or another program is final.
  const early = await makeKeys(options).catch(unlessNotOurs);
  if (early !== undefined) return early;
  const { config, log } = options;
  for (let waits = 0; !(await inTime(recorder.started(), patienceMs)); waits++) {
    const keys = await withReader(config, snapshotKeys).catch(unlessNotOurs);
    if (keys !== undefined && keys.length > 0) return { keys, isWritable: false };
    if (waits === QUIET_WAITS) log.warn("waiting for the database: there are no keys to serve with");
  }
  await recorder.started();
  return makeKeys(options);
}

/** Checks the tables of records of a region. @throws if a newer Weir created them; an unavailable database passes. */
export async function refuseNewerRecords(config: Config): Promise<void> {
  let failure: unknown;
  const checked = checkRecords(config).catch((error: unknown) => {
    failure = error;
  });
  await inTime(checked, RECORDS_MS);
  unlessNotOurs(failure);
}

/** Checks the database of a region whose keys are in another one. @throws if a newer Weir has used it. */
export async function refuseNewer(config: Config): Promise<void> {
  await withReader(config, async () => undefined).catch(unlessNotOurs);
}

/** @throws errors that a start must not ignore: data of a newer Weir would be misread, and other programs' data is left alone. */
function unlessNotOurs(error: unknown): undefined {
  if (isNotOurs(error)) throw error;
}

/** Whether the database is one that this program must leave alone. */
export function isNotOurs(error: unknown): boolean {
  return error instanceof GatewayError && (error.code === "database_newer" || error.code === "database_foreign");
}

/** Migrates the database first. The recorder does so too; the second of the two has nothing to do. */
async function makeKeys({ config, log }: FirstKeysOptions): Promise<FirstKeys> {
  const store = await openStore(config, "write");
  try {
    await migrate(store, MIGRATIONS, (upgrade) => {
      log.info("an earlier version's database is migrated: requests are served once that is done", { ...upgrade });
    });
    const made = await ensureFirstKey(store.records, config.region, config.bootstrap_key);
    return { keys: await snapshotKeys(store.records), made, isWritable: true };
  } finally {
    await store.close();
  }
}

/** Removes the key that a start created and could not show: the next start creates another one. */
export async function takeBackKey(config: Config, key: string): Promise<void> {
  const store = await openStore(config, "write");
  try {
    await removeKey(store.records, key);
  } finally {
    await store.close();
  }
}

export async function withReader<T>(config: Config, work: (records: Database) => Promise<T>): Promise<T> {
  const store = await openStore(config, "current");
  try {
    await checkVersions(config, store);
    return await work(store.records);
  } finally {
    await store.close();
  }
}
