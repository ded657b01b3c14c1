import { randomUUID } from "node:crypto";
import { GatewayError } from "../../errors.ts";
import type { Acting } from "../../people/actor.ts";
import { storedEmail } from "../../people/email.ts";
import { hashPassword } from "../../people/password.ts";
import type { Role } from "../../people/permissions.ts";
import { isoTime, isoTimeOrNull } from "../../record/iso-time.ts";
import { recorded } from "../audit/recorded.ts";
import type { Database, Statement, Value } from "../store.ts";

/** A user as the database has it. */
export interface User {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly password: string | null;
  readonly operator: number;
  readonly created_at: number;
  readonly disabled_at: number | null;
  readonly last_login_at: number | null;
}

/** A user as it is shown to people. */
export interface ShownUser {
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

/** An address as it is stored and compared. @throws GatewayError `invalid_body`. */
export function readEmail(text: string, path = "email"): string {
  const email = storedEmail(text);
  if (email !== undefined) return email;
  throw new GatewayError("invalid_body", `${path}: give an e-mail address, such as ada@example.com`, { path });
}

export function findUser(records: Database, by: "id" | "email", value: string): Promise<User | undefined> {
  const sql = `select * from users where ${by} = ?`;
  return records.query<User>({ sql, args: [value] }).then(([user]) => user);
}

export function listUsers(records: Database): Promise<User[]> {
  return records.query<User>({ sql: "select * from users order by email", args: [] });
}

/** Whether anybody can log in with a password. */
export async function hasPasswords(records: Database): Promise<boolean> {
  const sql = "select 1 from users where password is not null limit 1";
  return (await records.query({ sql, args: [] })).length > 0;
}

export interface NewUser {
  readonly email: string;
  readonly name: string;
  readonly password?: string;
  readonly operator?: boolean;
}

/** @returns what makes the user, for a change that does more than that. */
export async function userStatement({ email, name, password, operator = false }: NewUser) {
  const id = randomUUID();
  const now = Date.now();
  const hash = password === undefined ? null : await hashPassword(password);
  const sql = `insert into users (id, email, name, password, operator, created_at, updated_at) values (?, ?, ?, ?, ?, ?, ?)`;
  return { id, statement: { sql, args: [id, email, name, hash, Number(operator), now, now] } as Statement };
}

/** @throws GatewayError `duplicate_name`. */
export async function createUser(records: Database, order: NewUser, by: Acting): Promise<User> {
  const { email, name, operator = false } = order;
  if ((await findUser(records, "email", email)) !== undefined)
    throw new GatewayError("duplicate_name", `there is a user ${email} already`, { path: "email" });
  const { id, statement } = await userStatement(order);
  await recorded(records, [statement], by, {
    action: "user.created",
    organizationId: null,
    object: { kind: "user", id, name: email },
    after: { name, operator },
  });
  return (await findUser(records, "id", id))!;
}

export interface UserChange {
  readonly name?: string;
  readonly operator?: boolean;
  readonly disabled?: boolean;
}

/** @returns undefined where there is no such user. */
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
  const sql = "update users set name = ?, operator = ?, disabled_at = ?, updated_at = ? where id = ?";
  const statements: Statement[] = [{ sql, args: [next.name, next.operator, next.disabled_at, now, id] }];
  if (next.disabled_at !== null) statements.push(endLogins(id));
  await recorded(records, statements, by, {
    action: disabled === undefined ? "user.changed" : "user.disabled",
    organizationId: null,
    object: { kind: "user", id, name: known.email },
    before: { name: known.name, operator: known.operator === 1, disabled: known.disabled_at !== null },
    after: { name: next.name, operator: next.operator === 1, disabled: next.disabled_at !== null },
  });
  return findUser(records, "id", id);
}

/** Ends the user's other log-ins as well: whoever knew the old password may be in. */
export async function setPassword(
  records: Database,
  user: User,
  password: string,
  by: Acting,
  keptLogin: string | null = null,
): Promise<void> {
  const sql = "update users set password = ?, updated_at = ? where id = ?";
  const args: Value[] = [await hashPassword(password), Date.now(), user.id];
  const others = { sql: "delete from logins where user_id = ?1 and id is not ?2", args: [user.id, keptLogin] };
  await recorded(records, [{ sql, args }, others], by, {
    action: "user.changed",
    organizationId: null,
    object: { kind: "user", id: user.id, name: user.email },
    after: { password: "…" },
  });
}

/** With memberships, log-ins and identities. The keys stay, and stop: nobody is there to whom they belong. */
export async function removeUser(records: Database, id: string, by: Acting): Promise<boolean> {
  const known = await findUser(records, "id", id);
  if (known === undefined) return false;
  const of = (table: string, column = "user_id") => ({ sql: `delete from ${table} where ${column} = ?`, args: [id] });
  const statements = [of("members"), of("logins"), of("identities"), of("users", "id")];
  await recorded(records, statements, by, {
    action: "user.removed",
    organizationId: null,
    object: { kind: "user", id, name: known.email },
  });
  return true;
}

export function endLogins(userId: string): Statement {
  return { sql: "delete from logins where user_id = ?", args: [userId] };
}

/** What a user is in an organization. */
export interface Membership {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}

/** The organizations of a user, oldest first: an operator is in all of them. */
export function membershipsOf(
  records: Database,
  { id, operator }: Pick<User, "id" | "operator">,
): Promise<Membership[]> {
  const sql =
    operator === 1
      ? "select id, name, 'operator' as role from organizations order by created_at, rowid"
      : `select o.id, o.name, m.role from members m join organizations o on o.id = m.organization_id
         where m.user_id = ? order by o.created_at, o.rowid`;
  return records.query<Membership>({ sql, args: operator === 1 ? [] : [id] });
}
