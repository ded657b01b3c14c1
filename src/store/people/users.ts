import { randomUUID } from "node:crypto";
import { and, eq, isNotNull, ne, sql } from "drizzle-orm";
import { GatewayError } from "../../errors.ts";
import type { Acting } from "../../people/actor.ts";
import { storedEmail } from "../../people/email.ts";
import { hashPassword } from "../../people/password.ts";
import type { Role } from "../../people/permissions.ts";
import { isoTime, isoTimeOrNull } from "../../record/iso-time.ts";
import { identities, logins, members, organizations, users } from "../../record/tables.ts";
import { recorded } from "../audit/recorded.ts";
import { type Change, over } from "../database/builder.ts";
import type { Database } from "../store.ts";

/** A stored user. */
export type User = typeof users.$inferSelect;

/** A user as the API shows it. */
interface ShownUser {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly operator: boolean;
  readonly disabled: boolean;
  readonly has_password: boolean;
  readonly created_at: string;
  readonly last_login_at: string | null;
}

export function shownUser({ id, email, name, ...user }: User): ShownUser {
  return {
    ...{ id, email, name, operator: user.operator === 1 },
    ...{ disabled: user.disabled_at !== null, has_password: user.password !== null },
    ...{ created_at: isoTime(user.created_at), last_login_at: isoTimeOrNull(user.last_login_at) },
  };
}

/** An e-mail address as it is stored and compared. @throws GatewayError `invalid_body`. */
export function readEmail(text: string, path = "email"): string {
  const email = storedEmail(text);
  if (email !== undefined) return email;
  throw new GatewayError("invalid_body", `${path}: give an e-mail address, such as ada@example.com`, { path });
}

export async function findUser(records: Database, by: "id" | "email", value: string): Promise<User | undefined> {
  return over(records).select().from(users).where(eq(users[by], value)).get();
}

export async function listUsers(records: Database): Promise<User[]> {
  return over(records).select().from(users).orderBy(users.email);
}

/** Whether any user can log in with a password. */
export async function hasPasswords(records: Database): Promise<boolean> {
  return (await over(records).$count(users, isNotNull(users.password))) > 0;
}

export interface NewUser {
  readonly email: string;
  readonly name: string;
  readonly password?: string;
  readonly operator?: boolean;
}

/** @returns statements that create the user, for changes that do more. */
export async function newUser(records: Database, { email, name, password, operator = false }: NewUser) {
  const id = randomUUID();
  const now = Date.now();
  const hash = password === undefined ? null : await hashPassword(password);
  const row = { id, email, name, password: hash, operator: Number(operator), created_at: now, updated_at: now };
  return { id, insert: over(records).insert(users).values(row) };
}

/** @throws GatewayError `duplicate_name`. */
export async function createUser(records: Database, order: NewUser, by: Acting): Promise<User> {
  const { email, name, operator = false } = order;
  if ((await findUser(records, "email", email)) !== undefined)
    throw new GatewayError("duplicate_name", `there is a user ${email} already`, { path: "email" });
  const { id, insert } = await newUser(records, order);
  await recorded(records, [insert], by, {
    action: "user.created",
    organizationId: null,
    object: { kind: "user", id, name: email },
    after: { name, operator },
  });
  return (await findUser(records, "id", id))!;
}

interface UserChange {
  readonly name?: string;
  readonly operator?: boolean;
  readonly disabled?: boolean;
}

/** @returns undefined when there is no such user. */
export async function changeUser(
  records: Database,
  id: string,
  { name, operator, disabled }: UserChange,
  by: Acting,
): Promise<User | undefined> {
  const known = await findUser(records, "id", id);
  if (known === undefined) return undefined;
  const now = Date.now();
  const next = {
    name: name ?? known.name,
    operator: operator === undefined ? known.operator : Number(operator),
    disabled_at: disabled === undefined ? known.disabled_at : disabled ? (known.disabled_at ?? now) : null,
  };
  const change = over(records)
    .update(users)
    .set({ ...next, updated_at: now })
    .where(eq(users.id, id));
  const ending = next.disabled_at === null ? [] : [endLogins(records, id)];
  await recorded(records, [change, ...ending], by, {
    action: disabled === undefined ? "user.changed" : "user.disabled",
    organizationId: null,
    object: { kind: "user", id, name: known.email },
    before: { name: known.name, operator: known.operator === 1, disabled: known.disabled_at !== null },
    after: { name: next.name, operator: next.operator === 1, disabled: next.disabled_at !== null },
  });
  return findUser(records, "id", id);
}

/** Ends the user's other log-ins as well: a person who knew the old password may be logged in. */
export async function setPassword(
  records: Database,
  user: User,
  { password, keptLogin = null }: { readonly password: string; readonly keptLogin?: string | null | undefined },
  by: Acting,
): Promise<void> {
  const set = { password: await hashPassword(password), updated_at: Date.now() };
  const change = over(records).update(users).set(set).where(eq(users.id, user.id));
  await recorded(records, [change, endLogins(records, user.id, keptLogin)], by, {
    action: "user.changed",
    organizationId: null,
    object: { kind: "user", id: user.id, name: user.email },
    after: { password: "…" },
  });
}

/** Removes a user with memberships, log-ins and identities. Their keys stay but stop working, because their user is gone. */
export async function removeUser(records: Database, id: string, by: Acting): Promise<boolean> {
  const known = await findUser(records, "id", id);
  if (known === undefined) return false;
  const db = over(records);
  const statements = [
    db.delete(members).where(eq(members.user_id, id)),
    db.delete(logins).where(eq(logins.user_id, id)),
    db.delete(identities).where(eq(identities.user_id, id)),
    db.delete(users).where(eq(users.id, id)),
  ];
  await recorded(records, statements, by, {
    action: "user.removed",
    organizationId: null,
    object: { kind: "user", id, name: known.email },
  });
  return true;
}

/** @param kept - a log-in that stays valid. */
function endLogins(records: Database, userId: string, kept: string | null = null): Change {
  const others = kept === null ? undefined : ne(logins.id, kept);
  return over(records)
    .delete(logins)
    .where(and(eq(logins.user_id, userId), others));
}

/** A user's membership in an organization. */
export interface Membership {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}

/** The organizations of a user, oldest first: an operator is in all of them. */
export async function membershipsOf(
  records: Database,
  { id: userId, operator }: Pick<User, "id" | "operator">,
): Promise<Membership[]> {
  const { id, name, created_at } = organizations;
  const order = [created_at, sql`${organizations}.rowid`];
  if (operator === 1) {
    const all = await over(records)
      .select({ id, name })
      .from(organizations)
      .orderBy(...order);
    return all.map((each) => ({ ...each, role: "operator" }));
  }
  return over(records)
    .select({ id, name, role: members.role })
    .from(members)
    .innerJoin(organizations, eq(id, members.organization_id))
    .where(eq(members.user_id, userId))
    .orderBy(...order);
}
