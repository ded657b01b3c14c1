import { and, eq, isNull } from "drizzle-orm";
import type { Acting } from "../../people/actor.ts";
import { scopesWithin } from "../../people/permissions.ts";
import { keys, members, users } from "../../record/tables.ts";
import { record } from "../audit/recorded.ts";
import { over } from "../database/builder.ts";
import { type ListedKey, later, listKeys, ownerPermissions, type WhichKeys } from "../keys.ts";
import type { Database } from "../store.ts";
import { organizationNamed } from "./organization-names.ts";

/**
 * Why a user cannot own this key: it could do less than its scopes say, or nothing. Somebody of another organization is
 * refused like somebody who does not exist.
 */
export async function whyNoOwner(records: Database, key: ListedKey, userId: string): Promise<string | undefined> {
  const organizationId = (await organizationNamed(records, key.organization)) ?? "";
  const { email, operator, disabled_at: disabledAt } = users;
  const user = await over(records)
    .select({ email, operator, disabledAt, role: members.role })
    .from(users)
    .leftJoin(members, and(eq(members.user_id, users.id), eq(members.organization_id, organizationId)))
    .where(eq(users.id, userId))
    .get();
  if (user === undefined || (user.role === null && user.operator === 0))
    return `the owner of this key must be a member of its organization, "${key.organization}"`;
  if (user.disabledAt !== null) return `${user.email} is disabled: the key would stop; enable them first`;
  const given = scopesWithin(key.scopes, ownerPermissions(user));
  const tooStrong = key.scopes.find((scope) => !given.includes(scope));
  if (tooStrong === undefined) return undefined;
  return `the key has the scope ${tooStrong}, which the role of ${user.email}, ${user.role}, does not allow; change the role, or choose another owner`;
}

/**
 * Transfers a key to another user, or to none, so that it stops with no user. Check first whether the user may own it.
 *
 * @returns undefined when there is no such key or it is revoked.
 */
export async function transferKey(
  records: Database,
  which: WhichKeys & { id: string },
  userId: string | null,
  by: Acting,
): Promise<ListedKey | undefined> {
  const [known] = await listKeys(records, which);
  if (known === undefined || known.revoked_at !== null) return undefined;
  if (known.user_id === userId) return known;
  const owner =
    userId === null ? undefined : await over(records).select().from(users).where(eq(users.id, userId)).get();
  const transfer = over(records)
    .update(keys)
    .set({ user_id: userId, changed_at: later(Date.now()) })
    .where(and(eq(keys.id, which.id), isNull(keys.revoked_at)));
  const act = {
    action: "key.changed",
    organizationId: (await organizationNamed(records, known.organization)) ?? null,
    object: { kind: "key", id: known.id, name: known.name },
    before: { user_id: known.user_id, user: known.user },
    after: { user_id: userId, user: owner?.email ?? null },
  } as const;
  await record(records, { statements: [transfer], by, acts: [act], ifChanged: true });
  return (await listKeys(records, { id: which.id }))[0];
}
