import { count, eq, inArray, sql } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import { keys, peopleVersion, settings } from "../record/tables.ts";
import { over } from "./database/builder.ts";
import { writeSetting } from "./settings.ts";
import type { Database } from "./store.ts";

/** Prefix of the setting that says which keys the service of a region knows. */
const KNOWN_PREFIX = "keys_known:";

/** Notes that the service of a region uses the keys with this fingerprint; commands wait for that. */
export async function noteKnownKeys(records: Database, region: string, fingerprint: string): Promise<void> {
  await writeSetting(records, KNOWN_PREFIX + region, fingerprint);
}

/** Whether the services of all these regions use the current keys. */
export async function areKeysKnown(records: Database, regions: readonly string[]): Promise<boolean> {
  const names = regions.map((region) => KNOWN_PREFIX + region);
  const rows = await over(records).select().from(settings).where(inArray(settings.name, names));
  const fingerprint = await keysFingerprint(records);
  return rows.length === regions.length && rows.every(({ value }) => value === fingerprint);
}

/** Changes when a key or its user's permissions change; far cheaper than reading all keys. */
export async function keysFingerprint(records: Database): Promise<string> {
  const total = (column: AnySQLiteColumn) => sql`total(${column})`;
  const sums = {
    n: count(),
    last: sql`max(rowid)`,
    revoked: total(keys.revoked_at),
    expire: total(keys.expires_at),
    changed: total(keys.changed_at),
    people: sql`(select ${peopleVersion.version} from ${peopleVersion})`,
  };
  return JSON.stringify(await over(records).select(sums).from(keys));
}

/** Stores when keys were last used: key id to milliseconds since 1970. */
export async function touchKeys(records: Database, usedAt: ReadonlyMap<string, number>): Promise<void> {
  const [first, ...others] = [...usedAt].map(([id, time]) =>
    over(records)
      .update(keys)
      .set({ last_used_at: sql`max(coalesce(${keys.last_used_at}, 0), ${time})` })
      .where(eq(keys.id, id)),
  );
  if (first !== undefined) await over(records).batch([first, ...others]);
}
