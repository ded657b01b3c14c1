import { randomUUID } from "node:crypto";
import { createKey, hashKey, type KeySnapshot, SCOPES, type Scope } from "../keys.ts";
import type { Act } from "../people/actions.ts";
import { type Acting, SYSTEM } from "../people/actor.ts";
import { type Permission, permissionsOf, ROLES, type Role, scopesWithin } from "../people/permissions.ts";
import { isoTime, isoTimeOrNull } from "../record/iso-time.ts";
import { record, recorded } from "./audit/recorded.ts";
import { freeOrganizationId } from "./organization-id.ts";
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
  /** Whose key it is; null for one that belongs to nobody. */
  readonly user_id: string | null;
  /** Address of that user. */
  readonly user: string | null;
  /** Until when the secret before the last rotation works. */
  readonly previous_until: string | null;
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
  readonly userId?: string | null;
  /** The key itself, where it is not to be random. */
  readonly value?: string;
}

/** Makes a key; `key` is shown here and never again. */
export async function createServiceKey(
  records: Database,
  order: KeyOrder,
  by: Acting = SYSTEM,
): Promise<ListedKey & { key: string }> {
  const organizationId = await idOfOrganization(records, order.organization);
  const made = keyStatements(order, organizationId, "");
  await recorded(records, made.statements, by, ...(await creationActs(records, order, organizationId, made.id)));
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
  const scopes = SCOPES.filter((scope) => scope !== "figures"); // `read` implies it
  const order = { name: "first key", organization: FIRST_ORGANIZATION, scopes, region, expiresAt: null };
  const organizationId = await idOfOrganization(records, FIRST_ORGANIZATION);
  const made = keyStatements(
    value === "" ? order : { ...order, value },
    organizationId,
    "where not exists (select 1 from keys)",
  );
  const [known] = await records.query<unknown>({ sql: "select 1 from keys limit 1", args: [] });
  if (known !== undefined) return undefined;
  const acts = await creationActs(records, order, organizationId, made.id);
  await record(records, { statements: made.statements, by: SYSTEM, acts, ifChanged: true });
  // Another program may have been first: then ours was not inserted.
  return (await listKeys(records, { id: made.id })).length > 0 ? made.key : undefined;
}

/** A key joins the organization of its name, or makes it. */
async function creationActs(records: Database, order: KeyOrder, organizationId: string, id: string): Promise<Act[]> {
  const { name, organization, scopes, userId = null, expiresAt } = order;
  const made: Act = {
    action: "key.created",
    organizationId,
    object: { kind: "key", id, name },
    after: { scopes, user_id: userId, expires_at: isoTimeOrNull(expiresAt) },
  };
  if ((await organizationName(records, organizationId)) !== undefined) return [made];
  return [organizationMade(organizationId, organization), made];
}

function organizationMade(id: string, name: string): Act {
  return { action: "organization.created", organizationId: id, object: { kind: "organization", id, name } };
}

/** Removes a key that was never shown. */
export async function removeKey(records: Database, key: string): Promise<void> {
  const sql = "select id, name, organization_id from keys where hash = ?";
  const [known] = await records.query<KeyRow>({ sql, args: [hashKey(key)] });
  if (known === undefined) return;
  await recorded(records, [{ sql: "delete from keys where hash = ?", args: [hashKey(key)] }], SYSTEM, {
    action: "key.revoked",
    organizationId: known.organization_id,
    object: { kind: "key", id: known.id, name: known.name },
  });
}

export interface WhichKeys {
  readonly organizationId?: string;
  readonly id?: string;
  readonly userId?: string;
}

/** Oldest first; of one organization, one user, one id, or all. */
export async function listKeys(records: Database, only: WhichKeys = {}): Promise<ListedKey[]> {
  const rows = await records.query<
    KeyRow & {
      organization: string;
      region: string;
      created_at: number;
      last_used_at: number | null;
      user: string | null;
    }
  >({
    sql: `select k.*, o.name as organization, u.email as user from keys k join organizations o on o.id = k.organization_id
      left join users u on u.id = k.user_id
      where (?1 is null or k.organization_id = ?1) and (?2 is null or k.id = ?2) and (?3 is null or k.user_id = ?3)
      order by k.created_at, k.rowid`,
    args: [only.organizationId ?? null, only.id ?? null, only.userId ?? null],
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
    user_id: row.user_id,
    user: row.user,
    previous_until: row.previous_until !== null && row.previous_until > Date.now() ? isoTime(row.previous_until) : null,
  }));
}

/** Revokes at once; revoking again changes nothing. @returns false where there is no such key. */
export async function revokeKey(records: Database, which: WhichKeys & { id: string }, by: Acting): Promise<boolean> {
  const [key] = await listKeys(records, which);
  if (key === undefined) return false;
  if (key.revoked_at !== null) return true;
  const sql = "update keys set revoked_at = ? where id = ? and revoked_at is null";
  const act = {
    action: "key.revoked",
    organizationId: await idOfOrganization(records, key.organization),
    object: { kind: "key", id: key.id, name: key.name },
  } as const;
  const statements = [{ sql, args: [Date.now(), which.id] }];
  await record(records, { statements, by, acts: [act], ifChanged: true });
  return true;
}

/**
 * Gives a key a new secret, which is shown here and never again; the old one works for `graceMs` more. Ends its log-ins.
 *
 * @returns undefined where there is no such key, or it was revoked.
 */
export async function rotateKey(
  records: Database,
  which: WhichKeys & { id: string },
  graceMs: number,
  by: Acting,
): Promise<(ListedKey & { key: string }) | undefined> {
  const [known] = await listKeys(records, which);
  if (known === undefined || known.revoked_at !== null) return undefined;
  const key = createKey(known.region);
  const now = Date.now();
  const sql = `update keys set previous_hash = hash, previous_until = ?, hash = ?, changed_at = max(coalesce(changed_at, 0) + 1, ?)
    where id = ? and revoked_at is null`;
  // Who logged in with the old secret may be whom it was rotated against.
  const endLogins = { sql: "delete from logins where key_id = ?", args: [which.id] };
  const statements = [{ sql, args: [now + graceMs, hashKey(key), now, which.id] }, endLogins];
  await recorded(records, statements, by, {
    action: "key.rotated",
    organizationId: await idOfOrganization(records, known.organization),
    object: { kind: "key", id: known.id, name: known.name },
    after: { previous_until: isoTime(now + graceMs) },
  });
  const [rotated] = await listKeys(records, which);
  return { ...rotated!, key };
}

/** Gives a key to another user, or to nobody: then it does not stop with a user. @returns false where there is no such key. */
export async function handOverKey(
  records: Database,
  which: WhichKeys & { id: string },
  userId: string | null,
  by: Acting,
): Promise<boolean> {
  const [known] = await listKeys(records, which);
  if (known === undefined) return false;
  const now = Date.now();
  const sql = "update keys set user_id = ?, changed_at = max(coalesce(changed_at, 0) + 1, ?) where id = ?";
  await recorded(records, [{ sql, args: [userId, now, which.id] }], by, {
    action: "key.changed",
    organizationId: await idOfOrganization(records, known.organization),
    object: { kind: "key", id: known.id, name: known.name },
    before: { user_id: known.user_id },
    after: { user_id: userId },
  });
  return true;
}

/**
 * All keys as the threads that check them need them, revoked ones included. A user's key may do no more than its user may
 * now, and nothing once that user is gone. A rotated key comes twice while its old secret works, first with the old one.
 */
export async function snapshotKeys(records: Database): Promise<KeySnapshot[]> {
  const first = await firstOrganizationId(records);
  const sql = `select k.*, u.id as known_user, u.disabled_at, u.operator, m.role from keys k
    left join users u on u.id = k.user_id
    left join members m on m.user_id = k.user_id and m.organization_id = k.organization_id`;
  const rows = await records.query<KeyRow & OwnerRow>({ sql, args: [] });
  return rows.flatMap((row) => {
    const own = ownerPermissions(row);
    const given = readScopes(row.scopes);
    const scopes = own === undefined ? given : scopesWithin(given, own);
    const runsAll = row.organization_id === first && scopes.includes("admin");
    const allowed: readonly Permission[] = [...permissionsOf(scopes), ...(runsAll ? (["operator"] as const) : [])];
    const key: KeySnapshot = {
      id: row.id,
      organizationId: row.organization_id,
      name: row.name,
      hash: row.hash,
      scopes,
      permissions: own === undefined ? allowed : allowed.filter((permission) => own.includes(permission)),
      userId: row.user_id,
      expiresAt: row.expires_at,
      revokedAt: own?.length === 0 ? (row.revoked_at ?? 0) : row.revoked_at,
      models: readPatterns(row.models),
      credentials: readPatterns(row.credentials),
    };
    const { previous_hash: hash, previous_until: until } = row;
    if (hash === null || until === null || until <= Date.now()) return [key];
    return [{ ...key, hash, expiresAt: Math.min(until, key.expiresAt ?? until) }, key];
  });
}

/** Of the user that a key belongs to. */
interface OwnerRow {
  readonly known_user: string | null;
  readonly disabled_at: number | null;
  readonly operator: number | null;
  readonly role: Role | null;
}

/** What a key's user may do in the key's organization; undefined for a key that belongs to nobody. */
function ownerPermissions(row: KeyRow & OwnerRow): readonly Permission[] | undefined {
  if (row.user_id === null) return undefined;
  if (row.known_user === null || row.disabled_at !== null) return [];
  if (row.operator === 1) return ROLES.operator;
  return row.role === null ? [] : ROLES[row.role];
}

/** The organization that was made first runs the deployment: its admins see and make keys of every organization. */
export async function firstOrganizationId(records: Database): Promise<string | undefined> {
  const sql = "select id from organizations order by created_at, rowid limit 1";
  const [row] = await records.query<{ id: string }>({ sql, args: [] });
  return row?.id;
}

/** Its id, or the one that it will have. */
async function idOfOrganization(records: Database, name: string): Promise<string> {
  const [known] = await records.query<{ id: string }>({
    sql: "select id from organizations where name = ?",
    args: [name],
  });
  return known?.id ?? freeOrganizationId(records, name);
}

/** @returns its id; it is made where there is none of this name. */
export async function ensureOrganization(records: Database, name: string, by: Acting = SYSTEM): Promise<string> {
  const sql = "insert into organizations (id, name, created_at) values (?, ?, ?) on conflict do nothing";
  const lookup = { sql: "select id from organizations where name = ?", args: [name] };
  const [known] = await records.query<{ id: string }>(lookup);
  if (known !== undefined) return known.id;
  const id = await freeOrganizationId(records, name);
  const statements = [{ sql, args: [id, name, Date.now()] }];
  await record(records, { statements, by, acts: [organizationMade(id, name)], ifChanged: true });
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
  readonly user_id: string | null;
  readonly previous_hash: string | null;
  readonly previous_until: number | null;
}

/** @param organizationId - the id that the organization gets where there is none of this name. */
function keyStatements(
  order: KeyOrder,
  organizationId: string,
  condition: string,
): { id: string; key: string; statements: Statement[] } {
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
        sql: `insert into organizations (id, name, created_at) select ?, ?, ? ${condition || "where true"} on conflict do nothing`,
        args: [organizationId, organization, now],
      },
      {
        sql: `insert into keys (id, organization_id, name, hash, scopes, region, created_at, expires_at, models, credentials, user_id)
          select ?, (select id from organizations where name = ?), ?, ?, ?, ?, ?, ?, ?, ?, ? ${condition}`,
        args: [
          id,
          organization,
          name,
          hashKey(key),
          JSON.stringify(scopes),
          region,
          now,
          expiresAt,
          ...lists,
          order.userId ?? null,
        ],
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
