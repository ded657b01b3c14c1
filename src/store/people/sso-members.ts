import { and, eq } from "drizzle-orm";
import { GatewayError } from "../../errors.ts";
import type { Act } from "../../people/actions.ts";
import type { Acting } from "../../people/actor.ts";
import { stronger } from "../../people/permissions.ts";
import { identities, members, organizations, users } from "../../record/tables.ts";
import { recorded } from "../audit/recorded.ts";
import { over } from "../database/builder.ts";
import type { Database } from "../store.ts";
import { pendingInvitations, useOf } from "./invitations.ts";
import { type LoggedChange, type MemberRole, memberPut, memberRemoved } from "./members.ts";
import { findUser, newUser, type User } from "./users.ts";

/** A person whom a single sign-on provider has authenticated. */
interface SignedOn {
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
 * Applies the rules to a person who logged in by single sign-on: creates or updates the user and the memberships, and uses up
 * pending invitations, in one transaction. Memberships from this provider that no rule gives any more end, even when the log-in
 * is then refused.
 *
 * @throws GatewayError `not_a_member` when they belong to no organization; `login_refused` when they are disabled, or the
 *   e-mail address belongs to another account of the same provider.
 */
export async function admitSignedOn(records: Database, signedOn: SignedOn, from: From): Promise<User> {
  for (;;) {
    const known = await findSignedOn(records, signedOn, from);
    const held = known === undefined ? new Map<string, Held>() : await heldBy(records, known.id);
    const invitations = await pendingInvitations(records, signedOn.email);
    const next = await membershipsAfter(records, held, signedOn);
    for (const { organization_id, role } of invitations) takeStronger(next, organization_id, { role, source: "weir" });
    if (known === undefined && next.size === 0) throw new GatewayError("not_a_member");

    const created = known === undefined ? await creation(records, signedOn) : undefined;
    const user = known ?? created!.user;
    const changes = [...(created?.changes ?? []), ...memberChanges(records, user, { held, next })];
    const uses = invitations.map(({ id }) => useOf(records, id));
    const statements = [...uses, ...changes.map(({ change }) => change)];
    const acts = changes.map(({ act }) => act).filter((act) => act !== undefined);
    try {
      if (statements.length > 0) await recorded(records, statements, themselves(user, from), ...acts);
    } catch (error) {
      if (await isOvertaken(records, signedOn, { known, invitations })) continue;
      throw error;
    }
    if (next.size === 0 && user.operator === 0) throw new GatewayError("not_a_member");
    return known ?? (await findUser(records, "id", user.id))!;
  }
}

/**
 * Whether the change failed because a concurrent first log-in created the user, or an invitation was revoked or used. The
 * first can happen once and the other once for each invitation, so that the log-in is not retried without end.
 */
async function isOvertaken(
  records: Database,
  { issuer, subject, email }: SignedOn,
  {
    known,
    invitations,
  }: { readonly known: User | undefined; readonly invitations: readonly { readonly id: string }[] },
): Promise<boolean> {
  const pending = new Set((await pendingInvitations(records, email)).map(({ id }) => id));
  if (!invitations.every(({ id }) => pending.has(id))) return true;
  if (known !== undefined) return false;
  const found = (await linkedTo(records, { issuer, subject })) ?? (await findUser(records, "email", email));
  return found !== undefined;
}

function memberChanges(
  records: Database,
  user: Pick<User, "id" | "email">,
  { held, next }: { readonly held: ReadonlyMap<string, Held>; readonly next: ReadonlyMap<string, Held> },
): LoggedChange[] {
  const put = [...next].map(([organizationId, member]) =>
    memberPut(records, user, { organizationId, ...member }, held.get(organizationId)),
  );
  const ended = [...held].filter(([organizationId]) => !next.has(organizationId));
  const removed = ended.map(([organizationId, { role }]) => memberRemoved(records, user, { organizationId, role }));
  return [...put.filter((each) => each !== undefined), ...removed];
}

/** By the provider's subject, which never changes; at the first log-in by the e-mail address, which the provider vouches for. */
async function findSignedOn(records: Database, signedOn: SignedOn, from: From): Promise<User | undefined> {
  const { email } = signedOn;
  const linked = await linkedTo(records, signedOn);
  const known = linked ?? (await findUser(records, "email", email));
  if (known !== undefined && known.disabled_at !== null)
    throw new GatewayError("login_refused", `the user ${known.email} is disabled here: ask an operator`);
  if (known === undefined) return undefined;
  if (linked === undefined) await link(records, known, signedOn, from);
  else if (linked.email !== email) return renamed(records, linked, email, from);
  return known;
}

async function linkedTo(
  records: Database,
  { issuer, subject }: Pick<SignedOn, "issuer" | "subject">,
): Promise<User | undefined> {
  const found = await over(records)
    .select({ user: users })
    .from(identities)
    .innerJoin(users, eq(users.id, identities.user_id))
    .where(and(eq(identities.provider, issuer), eq(identities.subject, subject)))
    .get();
  return found?.user;
}

/** A person who now has an e-mail address must not get the account of its former owner. */
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

/** Follows the provider's e-mail address, unless another user has it. */
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

async function creation(records: Database, { issuer, subject, email, name, source }: SignedOn) {
  const { id, insert } = await newUser(records, { email, name });
  const act: Act = {
    action: "user.created",
    organizationId: null,
    object: { kind: "user", id, name: email },
    after: { name, source },
  };
  const changes = [
    { change: insert, act },
    { change: linking(records, { issuer, subject }, id), act: undefined },
  ];
  return { user: { id, email, operator: 0 }, changes };
}

/** Unlinks a user from identity providers: the next log-in with their e-mail address links them again. */
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

const linking = (records: Database, { issuer, subject }: Pick<SignedOn, "issuer" | "subject">, userId: string) =>
  over(records).insert(identities).values({ provider: issuer, subject, user_id: userId, created_at: Date.now() });

const themselves = ({ id, email }: Pick<User, "id" | "email">, from: From): Acting => ({
  ...from,
  actor: { kind: "user", id, name: email },
});
