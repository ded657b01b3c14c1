import type { Config } from "../config.ts";
import { checkRecords } from "../engine/writer.ts";
import { GatewayError } from "../errors.ts";
import type { KeySnapshot } from "../keys.ts";
import type { Log } from "../log.ts";
import { ensureFirstKey, removeKey, snapshotKeys } from "../store/keys.ts";
import { checkVersions, migrate } from "../store/migrate.ts";
import { type Database, openStore } from "../store/store.ts";
import type { RecorderFunctions } from "../threads.ts";
import { inTime, type Supervised } from "./supervise.ts";

/** How long a start waits for a database that can be written before it asks whether it can be read. */
export const DATABASE_PATIENCE_MS = 1_500;

/** How long it waits for the tables of records. */
const RECORDS_MS = 3_000;

/** How often that wait is repeated before it is logged: a slow machine takes its time. */
const QUIET_WAITS = 3;

export interface FirstKeysOptions {
  readonly config: Config;
  readonly log: Log;
}

export interface FirstKeys {
  /** All keys, so that the gateway need not wait for another thread. */
  readonly keys: KeySnapshot[];
  /** The key that was made because there was none: to be shown once the service serves. */
  readonly made?: string | undefined;
  /** Whether the database took writes a moment ago. */
  readonly isWritable: boolean;
}

/**
 * Makes the first key where there is none. While the database cannot be written but has keys, the service starts
 * regardless: what passes waits in the spool.
 */
export async function firstKeys(
  options: FirstKeysOptions,
  recorder: Supervised<RecorderFunctions>,
  patienceMs = DATABASE_PATIENCE_MS,
): Promise<FirstKeys> {
  // Where this fails the recorder fails too; it tries on, and says why. A database of a newer Weir, or of something else, will not change.
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

/** Looks at the tables of records of a region. @throws where a newer Weir has made them; one that is away may be old. */
export async function refuseNewerRecords(config: Config): Promise<void> {
  let failure: unknown;
  const checked = checkRecords(config).catch((error: unknown) => {
    failure = error;
  });
  await inTime(checked, RECORDS_MS);
  unlessNotOurs(failure);
}

/** Looks at the database of a region whose keys stand in another one. @throws where a newer Weir has used it. */
export async function refuseNewer(config: Config): Promise<void> {
  await withReader(config, async () => undefined).catch(unlessNotOurs);
}

/** @throws what a start must not pass over: what a newer Weir wrote would be read wrongly, and what is not Weir's is left alone. */
function unlessNotOurs(error: unknown): undefined {
  const code = error instanceof GatewayError ? error.code : undefined;
  if (code === "database_newer" || code === "database_foreign") throw error;
}

/** Migrates the database first. The recorder does it as well; the second of the two finds it done. */
async function makeKeys({ config }: FirstKeysOptions): Promise<FirstKeys> {
  const store = await openStore(config, "write");
  try {
    await migrate(store);
    const made = await ensureFirstKey(store.records, config.region, config.bootstrap_key);
    return { keys: await snapshotKeys(store.records), made, isWritable: true };
  } finally {
    await store.close();
  }
}

/** Removes the key that a start made and could not show: the next start makes another one. */
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
