import { and, eq } from "drizzle-orm";
import { GatewayError } from "../../errors.ts";
import type { Acting } from "../../people/actor.ts";
import { stronger } from "../../people/permissions.ts";
import { identities, members, organizations, users } from "../../record/tables.ts";
import { recorded } from "../audit/recorded.ts";
import { over, statementOf } from "../database/builder.ts";
import { patiently } from "../database/while-locked.ts";
import type { Database } from "../store.ts";
import { pendingInvitations, useOf } from "./invitations.ts";
import { type MemberRole, putMember, removeMember } from "./members.ts";
import { findUser, newUser, type User } from "./users.ts";

/** A person whom a single sign-on provider has authenticated. */
export interface SignedOn {
  /** `sso:<name>` of the provider: the source of memberships. */
  readonly source: string;
  readonly issuer: string;
  readonly subject: string;
  readonly email: string;
  readonly name: string;
  /** Roles by the provider's rules, by organization. */
  readonly roles: ReadonlyMap<string, MemberRole>;
}

type From = Pick<Acting, "address" | "requestId">;

interface Held {
  readonly role: MemberRole;
  readonly source: string;
}

/**
 * Applies the rules to a person who logged in by single sign-on: creates or updates the user and the memberships. Memberships
 * from this provider that no rule gives any more end, even when the login is then refused.
 *
 * @throws GatewayError `not_a_member` when they belong to no organization; `login_refused` when they are disabled, or the
 *   email address belongs to another account of the same provider.
 */
export async function admitSignedOn(records: Database, signedOn: SignedOn, from: From): Promise<User> {
  const known = await findSignedOn(records, signedOn, from);
  const held = known === undefined ? new Map<string, Held>() : await heldBy(records, known.id);
  const invitations = await pendingInvitations(records, signedOn.email);
  const next = await membershipsAfter(records, held, signedOn);
  for (const { organization_id, role } of invitations) takeStronger(next, organization_id, { role, source: "weir" });
  if (known === undefined && next.size === 0) throw new GatewayError("not_a_member");

  // Two concurrent first logins create one user: the second finds that of the first.
  const create = () => createSignedOn(records, signedOn, from);
  const user =
    known ?? (await create().catch(async (error) => (await findSignedOn(records, signedOn, from)) ?? throwIt(error)));
  const by = themselves(user, from);
  for (const [organizationId, member] of next) await putMember(records, user, { organizationId, ...member }, by);
  for (const organizationId of held.keys())
    if (!next.has(organizationId)) await removeMember(records, organizationId, user.id, by);
  if (invitations.length > 0) {
    const uses = invitations.map(({ id }) => statementOf(useOf(records, id)));
    await patiently(() => records.batch(uses));
  }
  if (next.size === 0 && user.operator === 0) throw new GatewayError("not_a_member");
  return user;
}

/** By the provider's subject, which never changes; at the first login by the email address, which the provider vouches for. */
async function findSignedOn(records: Database, signedOn: SignedOn, from: From): Promise<User | undefined> {
  const { issuer, subject, email } = signedOn;
  const found = await over(records)
    .select({ user: users })
    .from(identities)
    .innerJoin(users, eq(users.id, identities.user_id))
    .where(and(eq(identities.provider, issuer), eq(identities.subject, subject)))
    .get();
  const linked = found?.user;
  const known = linked ?? (await findUser(records, "email", email));
  if (known !== undefined && known.disabled_at !== null)
    throw new GatewayError("login_refused", `the user ${known.email} is disabled here: ask an operator`);
  if (known === undefined) return undefined;
  if (linked === undefined) await link(records, known, signedOn, from);
  else if (linked.email !== email) return renamed(records, linked, email, from);
  return known;
}

/** A person who now has an email address must not get the account of its former owner. */
async function link(records: Database, user: User, { issuer, subject, source }: SignedOn, from: From): Promise<void> {
  const others = and(eq(identities.provider, issuer), eq(identities.user_id, user.id));
  if ((await over(records).$count(identities, others)) > 0)
    throw new GatewayError(
      "login_refused",
      `${user.email} was another account of this provider: an operator has to run weir users unlink ${user.email}, or remove that user`,
    );
  await recorded(records, [linking(records, { issuer, subject }, user.id)], themselves(user, from), {
    action: "user.changed",
    organizationId: null,
    object: { kind: "user", id: user.id, name: user.email },
    after: { linked: source },
  });
}

/** Follows the provider's email address, unless another user has it. */
async function renamed(records: Database, user: User, email: string, from: From): Promise<User> {
  if ((await findUser(records, "email", email)) !== undefined) return user;
  const change = over(records).update(users).set({ email, updated_at: Date.now() }).where(eq(users.id, user.id));
  await recorded(records, [change], themselves(user, from), {
    action: "user.changed",
    organizationId: null,
    object: { kind: "user", id: user.id, name: email },
    before: { email: user.email },
    after: { email },
  });
  return { ...user, email };
}

async function createSignedOn(
  records: Database,
  { issuer, subject, email, name, source }: SignedOn,
  from: From,
): Promise<User> {
  const { id, insert } = await newUser(records, { email, name });
  await recorded(records, [insert, linking(records, { issuer, subject }, id)], themselves({ id, email }, from), {
    action: "user.created",
    organizationId: null,
    object: { kind: "user", id, name: email },
    after: { name, source },
  });
  return (await findUser(records, "id", id))!;
}

/** Unlinks a user from identity providers: the next login with their email address links them again. */
export async function unlinkUser(records: Database, user: User, by: Acting): Promise<void> {
  await recorded(records, [over(records).delete(identities).where(eq(identities.user_id, user.id))], by, {
    action: "user.changed",
    organizationId: null,
    object: { kind: "user", id: user.id, name: user.email },
    after: { linked: null },
  });
}

async function heldBy(records: Database, userId: string): Promise<Map<string, Held>> {
  const rows = await over(records).select().from(members).where(eq(members.user_id, userId));
  return new Map(rows.map(({ organization_id, role, source }) => [organization_id, { role, source }]));
}

/** Memberships from this provider are replaced; one from elsewhere stays unless a rule gives a stronger role. */
async function membershipsAfter(
  records: Database,
  held: ReadonlyMap<string, Held>,
  { source, roles }: SignedOn,
): Promise<Map<string, Held>> {
  const next = new Map([...held].filter(([, each]) => each.source !== source));
  for (const [name, role] of roles) {
    const found = await over(records).select().from(organizations).where(eq(organizations.name, name)).get();
    if (found !== undefined) takeStronger(next, found.id, { role, source });
  }
  return next;
}

function takeStronger(next: Map<string, Held>, organizationId: string, member: Held): void {
  const known = next.get(organizationId);
  if (known === undefined || stronger(known.role, member.role) !== known.role) next.set(organizationId, member);
}

function throwIt(error: unknown): never {
  throw error;
}

const linking = (records: Database, { issuer, subject }: Pick<SignedOn, "issuer" | "subject">, userId: string) =>
  over(records).insert(identities).values({ provider: issuer, subject, user_id: userId, created_at: Date.now() });

const themselves = ({ id, email }: Pick<User, "id" | "email">, from: From): Acting => ({
  ...from,
  actor: { kind: "user", id, name: email },
});
