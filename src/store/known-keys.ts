import type { Database } from "./store.ts";

/** Of the setting that says which keys the service of a region knows. */
const KNOWN_PREFIX = "keys_known:";

/** Notes that the service of a region goes by the keys of this fingerprint: a command waits for that. */
export async function noteKnownKeys(records: Database, region: string, fingerprint: string): Promise<void> {
  const sql =
    "insert into settings (name, value) values (?, ?) on conflict (name) do update set value = excluded.value";
  await records.batch([{ sql, args: [KNOWN_PREFIX + region, fingerprint] }]);
}

/** Whether the services of all these regions go by the keys as they are now. */
export async function areKeysKnown(records: Database, regions: readonly string[]): Promise<boolean> {
  const rows = await records.query<{ value: string }>({
    sql: `select value from settings where name in (${regions.map(() => "?").join(", ")})`,
    args: regions.map((region) => KNOWN_PREFIX + region),
  });
  const fingerprint = await keysFingerprint(records);
  return rows.length === regions.length && rows.every(({ value }) => value === fingerprint);
}

/** Differs whenever a key or what its user may do has changed; far cheaper than all keys. */
export async function keysFingerprint(records: Database): Promise<string> {
  const sql = `select count(*) as n, max(rowid) as last, total(revoked_at) as revoked, total(expires_at) as expire,
    total(changed_at) as changed, (select version from people_version) as people from keys`;
  return JSON.stringify(await records.query<unknown>({ sql, args: [] }));
}

/** Notes when keys were used: key id to milliseconds since 1970. */
export async function touchKeys(records: Database, usedAt: ReadonlyMap<string, number>): Promise<void> {
  if (usedAt.size === 0) return;
  const sql = "update keys set last_used_at = max(coalesce(last_used_at, 0), ?) where id = ?";
  await records.batch([...usedAt].map(([id, time]) => ({ sql, args: [time, id] })));
}
