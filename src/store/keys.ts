import { createHash, randomUUID } from "node:crypto";
import { createKey, hashKey, type KeySnapshot, SCOPES, type Scope } from "../keys.ts";
import { isoTime, isoTimeOrNull } from "../record/iso-time.ts";
import { patiently } from "./database/patiently.ts";
import type { Database, Statement } from "./store.ts";

export const FIRST_ORGANIZATION = "default";

/** A key as it is shown to people. Times are ISO 8601. */
export interface ListedKey {
  readonly id: string;
  readonly name: string;
  readonly organization: string;
  readonly scopes: readonly Scope[];
  readonly region: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
  readonly revoked_at: string | null;
  /** Patterns of what it may use; null for all. */
  readonly models: readonly string[] | null;
  readonly credentials: readonly string[] | null;
}

interface KeyOrder {
  readonly name: string;
  /** By name; made when there is none of that name. */
  readonly organization: string;
  readonly scopes: readonly Scope[];
  readonly region: string;
  /** Milliseconds since 1970, or null for never. */
  readonly expiresAt: number | null;
  /** Patterns of what it may use; all unless given. */
  readonly models?: readonly string[] | null;
  readonly credentials?: readonly string[] | null;
  /** The key itself, where it is not to be random. */
  readonly value?: string;
}

/** Makes a key; `key` is shown here and never again. */
export async function createServiceKey(records: Database, order: KeyOrder): Promise<ListedKey & { key: string }> {
  const made = keyStatements(order, "");
  await patiently(() => records.batch(made.statements));
  const [listed] = await listKeys(records, { id: made.id });
  return { ...listed!, key: made.key };
}

/**
 * On a database without any key: makes the first organization and one key with all scopes.
 *
 * @param value - the key itself (`bootstrap_key`); random where it is empty.
 * @returns the key, to be shown once, or undefined where there are keys.
 */
export async function ensureFirstKey(records: Database, region: string, value: string): Promise<string | undefined> {
  const order = { name: "first key", organization: FIRST_ORGANIZATION, scopes: SCOPES, region, expiresAt: null };
  const made = keyStatements(value === "" ? order : { ...order, value }, "where not exists (select 1 from keys)");
  const [known] = await records.query<unknown>({ sql: "select 1 from keys limit 1", args: [] });
  if (known !== undefined) return undefined;
  await patiently(() => records.batch(made.statements));
  // Another program may have been first: then ours was not inserted.
  return (await listKeys(records, { id: made.id })).length > 0 ? made.key : undefined;
}

/** Removes a key that was never shown. */
export async function removeKey(records: Database, key: string): Promise<void> {
  await patiently(() => records.batch([{ sql: "delete from keys where hash = ?", args: [hashKey(key)] }]));
}

/** Oldest first; of one organization, one id, or all. */
export async function listKeys(
  records: Database,
  only: { readonly organizationId?: string; readonly id?: string } = {},
): Promise<ListedKey[]> {
  const rows = await records.query<
    KeyRow & { organization: string; region: string; created_at: number; last_used_at: number | null }
  >({
    sql: `select k.*, o.name as organization from keys k join organizations o on o.id = k.organization_id
      where (?1 is null or k.organization_id = ?1) and (?2 is null or k.id = ?2) order by k.created_at, k.rowid`,
    args: [only.organizationId ?? null, only.id ?? null],
  });
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    organization: row.organization,
    scopes: readScopes(row.scopes),
    region: row.region,
    created_at: isoTime(row.created_at),
    expires_at: isoTimeOrNull(row.expires_at),
    last_used_at: isoTimeOrNull(row.last_used_at),
    revoked_at: isoTimeOrNull(row.revoked_at),
    models: readPatterns(row.models),
    credentials: readPatterns(row.credentials),
  }));
}

/** Revokes at once; revoking again changes nothing. @returns false where there is no such key. */
export async function revokeKey(records: Database, id: string, organizationId?: string): Promise<boolean> {
  const only = organizationId === undefined ? { id } : { id, organizationId };
  if ((await listKeys(records, only)).length === 0) return false;
  const sql = "update keys set revoked_at = ? where id = ? and revoked_at is null";
  await patiently(() => records.batch([{ sql, args: [Date.now(), id] }]));
  return true;
}

/** All keys as the threads that check them need them, revoked ones included. */
export async function snapshotKeys(records: Database): Promise<KeySnapshot[]> {
  const sql = "select id, organization_id, name, hash, scopes, expires_at, revoked_at, models, credentials from keys";
  const rows = await records.query<KeyRow>({ sql, args: [] });
  return rows.map((row) => ({
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    hash: row.hash,
    scopes: readScopes(row.scopes),
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    models: readPatterns(row.models),
    credentials: readPatterns(row.credentials),
  }));
}

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

/** Differs whenever a key was made or revoked; far cheaper than all keys. */
export async function keysFingerprint(records: Database): Promise<string> {
  const sql =
    "select count(*) as n, max(rowid) as last, total(revoked_at) as revoked, total(expires_at) as expire from keys";
  return JSON.stringify(await records.query<unknown>({ sql, args: [] }));
}

/** Notes when keys were used: key id to milliseconds since 1970. */
export async function touchKeys(records: Database, usedAt: ReadonlyMap<string, number>): Promise<void> {
  if (usedAt.size === 0) return;
  const sql = "update keys set last_used_at = max(coalesce(last_used_at, 0), ?) where id = ?";
  await records.batch([...usedAt].map(([id, time]) => ({ sql, args: [time, id] })));
}

/** The organization that was made first runs the deployment: its admins see and make keys of every organization. */
export async function firstOrganizationId(records: Database): Promise<string | undefined> {
  const sql = "select id from organizations order by created_at, rowid limit 1";
  const [row] = await records.query<{ id: string }>({ sql, args: [] });
  return row?.id;
}

/** @returns its id; it is made where there is none of this name. */
export async function ensureOrganization(records: Database, name: string): Promise<string> {
  const sql = "insert into organizations (id, name, created_at) values (?, ?, ?) on conflict (name) do nothing";
  const lookup = { sql: "select id from organizations where name = ?", args: [name] };
  const [known] = await records.query<{ id: string }>(lookup);
  if (known !== undefined) return known.id;
  await patiently(() => records.batch([{ sql, args: [organizationId(name), name, Date.now()] }]));
  return (await records.query<{ id: string }>(lookup))[0]!.id;
}

/** The oldest first. */
export function listOrganizations(records: Database): Promise<{ readonly id: string; readonly name: string }[]> {
  return records.query({ sql: "select id, name from organizations order by created_at, rowid", args: [] });
}

export async function organizationName(records: Database, id: string): Promise<string | undefined> {
  const sql = "select name from organizations where id = ?";
  const [row] = await records.query<{ name: string }>({ sql, args: [id] });
  return row?.name;
}

interface KeyRow {
  readonly id: string;
  readonly organization_id: string;
  readonly name: string;
  readonly hash: string;
  readonly scopes: string;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
  readonly models: string | null;
  readonly credentials: string | null;
}

function keyStatements(order: KeyOrder, condition: string): { id: string; key: string; statements: Statement[] } {
  const id = randomUUID();
  const key = order.value ?? createKey(order.region);
  const now = Date.now();
  const { name, organization, scopes, region, expiresAt, models, credentials } = order;
  const lists = [models, credentials].map((patterns) => (patterns ? JSON.stringify(patterns) : null));
  return {
    id,
    key,
    statements: [
      {
        sql: `insert into organizations (id, name, created_at) select ?, ?, ? ${condition || "where true"} on conflict (name) do nothing`,
        args: [organizationId(organization), organization, now],
      },
      {
        sql: `insert into keys (id, organization_id, name, hash, scopes, region, created_at, expires_at, models, credentials)
          select ?, (select id from organizations where name = ?), ?, ?, ?, ?, ?, ?, ?, ? ${condition}`,
        args: [id, organization, name, hashKey(key), JSON.stringify(scopes), region, now, expiresAt, ...lists],
      },
    ],
  };
}

function readPatterns(json: string | null): readonly string[] | null {
  return json === null ? null : (JSON.parse(json) as string[]);
}

function readScopes(json: string): Scope[] {
  const names = JSON.parse(json) as unknown[];
  return SCOPES.filter((scope) => names.includes(scope));
}

/**
 * The id of an organization comes from its name: records that move to another Weir, into the organization of the same
 * name, keep theirs. It stands in every record and in its indexes, and is short for that: 41 bits of a SHA-256.
 * Organizations that were made before have a UUID.
 */
function organizationId(name: string): string {
  const hex = createHash("sha256").update(`weir organization ${name}`).digest("hex");
  return BigInt(`0x${hex}`).toString(36).slice(-8);
}
