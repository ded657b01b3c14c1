import { randomUUID } from "node:crypto";
import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { createKey, hashKey, type KeySnapshot, SCOPES, type Scope } from "../keys.ts";
import type { Act } from "../people/actions.ts";
import { type Acting, SYSTEM } from "../people/actor.ts";
import { type Permission, permissionsOf, ROLES, type Role, scopesWithin } from "../people/permissions.ts";
import { isoTime, isoTimeOrNull } from "../record/iso-time.ts";
import { keys, logins, members, organizations, users } from "../record/tables.ts";
import { record, recorded } from "./audit/recorded.ts";
import { type Change, ifGiven, over } from "./database/builder.ts";
import {
  FIRST_ORGANIZATION,
  firstOrganizationId,
  idOfOrganization,
  organizationMade,
  organizationName,
} from "./people/organization-names.ts";
import type { Database } from "./store.ts";

/** A key as the API and the CLI show it. Times are ISO 8601. */
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
  /** Patterns of what the key may use; null for all. */
  readonly models: readonly string[] | null;
  readonly credentials: readonly string[] | null;
  /** The user that the key belongs to; null when there is none. */
  readonly user_id: string | null;
  /** E-mail address of that user. */
  readonly user: string | null;
  /** Until when the previous secret is still valid after a rotation. */
  readonly previous_until: string | null;
  /** Why the key does not work though it is neither revoked nor expired; null if its owner does not stop it. */
  readonly stopped: "owner_removed" | "owner_disabled" | "owner_not_member" | null;
}

interface KeyOrder {
  readonly name: string;
  /** Name of the organization; created if it does not exist. */
  readonly organization: string;
  readonly scopes: readonly Scope[];
  readonly region: string;
  /** Milliseconds since 1970, or null for never. */
  readonly expiresAt: number | null;
  /** Patterns of what the key may use; all by default. */
  readonly models?: readonly string[] | null;
  readonly credentials?: readonly string[] | null;
  readonly userId?: string | null;
  /** The key itself; random by default. */
  readonly value?: string;
}

/** Creates a key; `key` is shown only here. */
export async function createServiceKey(
  records: Database,
  order: KeyOrder,
  by: Acting = SYSTEM,
): Promise<ListedKey & { key: string }> {
  const organizationId = await idOfOrganization(records, order.organization);
  const made = keyStatements(order, organizationId, sql`true`);
  await recorded(records, made.statements, by, ...(await creationActs(records, order, organizationId, made.id)));
  const [listed] = await listKeys(records, { id: made.id });
  return { ...listed!, key: made.key };
}

/**
 * On a database without keys: creates the first organization and one key with all scopes.
 *
 * @param value - the key itself (`bootstrap_key`); random when empty.
 * @returns the key, to be shown once, or undefined when keys exist.
 */
export async function ensureFirstKey(records: Database, region: string, value: string): Promise<string | undefined> {
  const scopes = SCOPES.filter((scope) => scope !== "figures"); // `read` implies it
  const order = { name: "first key", organization: FIRST_ORGANIZATION, scopes, region, expiresAt: null };
  const organizationId = await idOfOrganization(records, FIRST_ORGANIZATION);
  const made = keyStatements(
    value === "" ? order : { ...order, value },
    organizationId,
    sql`not exists (select 1 from ${keys})`,
  );
  if ((await over(records).$count(keys)) > 0) return undefined;
  const acts = await creationActs(records, order, organizationId, made.id);
  await record(records, { statements: made.statements, by: SYSTEM, acts, ifChanged: true });
  // Another program may have been first: then our insert did nothing.
  return (await listKeys(records, { id: made.id })).length > 0 ? made.key : undefined;
}

/** Audit entries for a new key and, if its organization is new, for that. */
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

/** Removes a key that was never shown. */
export async function removeKey(records: Database, key: string): Promise<void> {
  const it = eq(keys.hash, hashKey(key));
  const known = await over(records).select().from(keys).where(it).get();
  if (known === undefined) return;
  await recorded(records, [over(records).delete(keys).where(it)], SYSTEM, {
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

/** Oldest first; all, or those of one organization, one user or one id. */
export async function listKeys(records: Database, only: WhichKeys = {}): Promise<ListedKey[]> {
  const rows = await over(records)
    .select({
      key: keys,
      organization: organizations.name,
      user: users.email,
      ...{ disabledAt: users.disabled_at, operator: users.operator, role: members.role },
    })
    .from(keys)
    .innerJoin(organizations, eq(organizations.id, keys.organization_id))
    .leftJoin(users, eq(users.id, keys.user_id))
    .leftJoin(members, and(eq(members.user_id, keys.user_id), eq(members.organization_id, keys.organization_id)))
    .where(
      and(
        ifGiven(keys.organization_id, only.organizationId),
        ifGiven(keys.id, only.id),
        ifGiven(keys.user_id, only.userId),
      ),
    )
    .orderBy(keys.created_at, sql`${keys}.rowid`);
  return rows.map(({ key: row, organization, user, ...owner }) => ({
    id: row.id,
    name: row.name,
    organization,
    scopes: readScopes(row.scopes),
    region: row.region,
    created_at: isoTime(row.created_at),
    expires_at: isoTimeOrNull(row.expires_at),
    last_used_at: isoTimeOrNull(row.last_used_at),
    revoked_at: isoTimeOrNull(row.revoked_at),
    models: row.models,
    credentials: row.credentials,
    user_id: row.user_id,
    user,
    previous_until: row.previous_until !== null && row.previous_until > Date.now() ? isoTime(row.previous_until) : null,
    stopped: row.user_id === null ? null : stoppedBy(owner),
  }));
}

/** Why a key's owner stops it. */
function stoppedBy(owner: Parameters<typeof ownerPermissions>[0]): ListedKey["stopped"] {
  if (owner.operator === null) return "owner_removed";
  if (owner.disabledAt !== null) return "owner_disabled";
  return ownerPermissions(owner).length === 0 ? "owner_not_member" : null;
}

/** Revokes immediately; revoking again changes nothing. @returns false when there is no such key. */
export async function revokeKey(records: Database, which: WhichKeys & { id: string }, by: Acting): Promise<boolean> {
  const [key] = await listKeys(records, which);
  if (key === undefined) return false;
  if (key.revoked_at !== null) return true;
  const revocation = over(records)
    .update(keys)
    .set({ revoked_at: Date.now() })
    .where(and(eq(keys.id, which.id), isNull(keys.revoked_at)));
  const act = {
    action: "key.revoked",
    organizationId: await idOfOrganization(records, key.organization),
    object: { kind: "key", id: key.id, name: key.name },
  } as const;
  await record(records, { statements: [revocation], by, acts: [act], ifChanged: true });
  return true;
}

/**
 * Gives a key a new secret, which is shown only here. The old secret stays valid for `graceMs`. Ends all log-ins made with the
 * key.
 *
 * @returns undefined when there is no such key or it is revoked.
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
  const db = over(records);
  const old = { previous_hash: sql`${keys.hash}`, previous_until: now + graceMs };
  const rotation = db
    .update(keys)
    .set({ ...old, hash: hashKey(key), changed_at: later(now) })
    .where(and(eq(keys.id, which.id), isNull(keys.revoked_at)));
  // A log-in with the old secret may be the reason for the rotation.
  const endLogins = db.delete(logins).where(eq(logins.key_id, which.id));
  await recorded(records, [rotation, endLogins], by, {
    action: "key.rotated",
    organizationId: await idOfOrganization(records, known.organization),
    object: { kind: "key", id: known.id, name: known.name },
    after: { previous_until: isoTime(now + graceMs) },
  });
  const [rotated] = await listKeys(records, which);
  return { ...rotated!, key };
}

/**
 * All keys for the threads that check them, including revoked ones. A user's key may do no more than its user may now, and
 * nothing once that user is gone. A rotated key appears twice while its old secret is valid, the old secret first.
 */
export async function snapshotKeys(records: Database): Promise<KeySnapshot[]> {
  const first = await firstOrganizationId(records);
  const rows = await over(records)
    .select({ key: keys, disabledAt: users.disabled_at, operator: users.operator, role: members.role })
    .from(keys)
    .leftJoin(users, eq(users.id, keys.user_id))
    .leftJoin(members, and(eq(members.user_id, keys.user_id), eq(members.organization_id, keys.organization_id)));
  return rows.flatMap(({ key: row, ...owner }) => {
    const own = row.user_id === null ? undefined : ownerPermissions(owner);
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
      userPermissions: own ?? null,
      expiresAt: row.expires_at,
      revokedAt: own?.length === 0 ? (row.revoked_at ?? 0) : row.revoked_at,
      models: row.models,
      credentials: row.credentials,
    };
    const { previous_hash: hash, previous_until: until } = row;
    if (hash === null || until === null || until <= Date.now()) return [key];
    return [{ ...key, hash, expiresAt: Math.min(until, key.expiresAt ?? until) }, key];
  });
}

/** Permissions of a key's user in the key's organization. Every field is null for a deleted user. */
export function ownerPermissions(owner: {
  readonly disabledAt: number | null;
  readonly operator: number | null;
  readonly role: Role | null;
}): readonly Permission[] {
  if (owner.operator === null || owner.disabledAt !== null) return [];
  if (owner.operator === 1) return ROLES.operator;
  return owner.role === null ? [] : ROLES[owner.role];
}

/** Always increases, even within a millisecond, so that watchers notice this change. */
export const later = (now: number) => sql`max(coalesce(${keys.changed_at}, 0) + 1, ${now})`;

/**
 * @param organizationId - the id of the organization if it does not exist yet.
 * @param condition - SQL that must hold for both to be created.
 */
function keyStatements(
  order: KeyOrder,
  organizationId: string,
  condition: SQL,
): { id: string; key: string; statements: Change[] } {
  const id = randomUUID();
  const key = order.value ?? createKey(order.region);
  const now = Date.now();
  const { name, organization, region, expiresAt, userId = null } = order;
  const [scopes, models, credentials] = [order.scopes, order.models, order.credentials].map((list) =>
    list ? JSON.stringify(list) : null,
  );
  const own = sql`(select id from ${organizations} where ${eq(organizations.name, organization)})`;
  return {
    id,
    key,
    statements: [
      sql`insert into ${organizations} (id, name, created_at) select ${organizationId}, ${organization}, ${now}
        where ${condition} on conflict do nothing`,
      sql`insert into ${keys} (id, organization_id, name, hash, scopes, region, created_at, expires_at, models, credentials, user_id)
        select ${id}, ${own}, ${name}, ${hashKey(key)}, ${scopes}, ${region}, ${now}, ${expiresAt}, ${models}, ${credentials}, ${userId}
        where ${condition}`,
    ],
  };
}

function readScopes(names: readonly string[]): Scope[] {
  return SCOPES.filter((scope) => names.includes(scope));
}
