import { randomBytes, randomUUID } from "node:crypto";
import { and, desc, eq, gt, isNull, lt, or, sql } from "drizzle-orm";
import { GatewayError } from "../../errors.ts";
import { hashKey } from "../../keys.ts";
import type { Acting } from "../../people/actor.ts";
import { isoTime } from "../../record/iso-time.ts";
import { invitations } from "../../record/tables.ts";
import { recorded } from "../audit/recorded.ts";
import { over } from "../database/builder.ts";
import { patiently } from "../database/while-locked.ts";
import type { Database } from "../store.ts";
import { type MemberRole, membership } from "./members.ts";
import { findUser, newUser, type User } from "./users.ts";

const HOURS = 72;

/** How long an invitation is kept after its end. */
const KEPT_MS = 30 * 86_400_000;

interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly organization_id: string;
  readonly role: MemberRole;
  readonly expires_at: string;
}

interface InvitationOrder {
  readonly email: string;
  readonly organizationId: string;
  readonly role: MemberRole;
  /** When the inviting key expires, and with it the invitation. */
  readonly untilMs?: number | null;
}

/** Creates an invitation; the token is shown only here and works once, at most for three days. */
export async function invite(
  records: Database,
  order: InvitationOrder,
  by: Acting,
): Promise<Invitation & { readonly token: string }> {
  const { email, organizationId, role, untilMs } = order;
  const id = randomUUID();
  const token = randomBytes(32).toString("base64url");
  const now = Date.now();
  const expires = Math.min(now + HOURS * 3_600_000, untilMs ?? Number.POSITIVE_INFINITY);
  const db = over(records);
  // A newer invitation for the same e-mail address replaces older ones.
  const { email: address, organization_id, used_at } = invitations;
  const older = db
    .update(invitations)
    .set({ used_at: now })
    .where(and(eq(address, email), eq(organization_id, organizationId), isNull(used_at)));
  const made = db.insert(invitations).values({
    ...{ id, token_hash: hashKey(token), email, organization_id: organizationId, role },
    ...{ invited_by: by.actor.name, created_at: now, expires_at: expires },
  });
  await recorded(records, [older, made], by, {
    action: "user.invited",
    organizationId,
    object: { kind: "user", id, name: email },
    after: { role, expires_at: isoTime(expires) },
  });
  return { id, email, organization_id: organizationId, role, expires_at: isoTime(expires), token };
}

type InvitationRow = typeof invitations.$inferSelect;

const noSuch = () =>
  new GatewayError("not_found", "this invitation is not known, was used, or has expired; ask for another one");

/** @throws GatewayError `not_found` when the invitation is not valid. */
async function findInvitation(records: Database, token: string): Promise<InvitationRow> {
  const found = await over(records)
    .select()
    .from(invitations)
    .where(eq(invitations.token_hash, hashKey(token)))
    .get();
  if (found === undefined || found.used_at !== null || found.expires_at <= Date.now()) throw noSuch();
  return found;
}

/** Pending invitations for this e-mail address. */
export async function pendingInvitations(
  records: Database,
  email: string,
): Promise<Pick<InvitationRow, "id" | "organization_id" | "role">[]> {
  const { id, organization_id, role, email: address, used_at, expires_at } = invitations;
  return over(records)
    .select({ id, organization_id, role })
    .from(invitations)
    .where(and(eq(address, email), isNull(used_at), gt(expires_at, Date.now())));
}

export interface PendingInvitation extends Invitation {
  /** Name of the inviter. */
  readonly invited_by: string;
  readonly created_at: string;
}

/** Invitations that still work, the newest first, without their tokens. */
export async function listInvitations(
  records: Database,
  organizationId: string,
): Promise<readonly PendingInvitation[]> {
  const { id, email, organization_id, role, invited_by, created_at, expires_at, used_at } = invitations;
  const found = await over(records)
    .select({ id, email, organization_id, role, invited_by, created_at, expires_at })
    .from(invitations)
    .where(and(eq(organization_id, organizationId), isNull(used_at), gt(expires_at, Date.now())))
    .orderBy(desc(created_at));
  return found.map((row) => ({ ...row, created_at: isoTime(row.created_at), expires_at: isoTime(row.expires_at) }));
}

/**
 * Revokes an invitation: its link does not work any more. It is kept as used, so that an acceptance that has already begun fails.
 *
 * @param idOrToken - its id in the list, or the token of its link.
 * @returns the id; undefined if the organization has no such pending invitation.
 */
export async function revokeInvitation(
  records: Database,
  { organizationId, idOrToken }: { readonly organizationId: string; readonly idOrToken: string },
  by: Acting,
): Promise<string | undefined> {
  const pending = and(eq(invitations.organization_id, organizationId), isNull(invitations.used_at));
  const named = or(eq(invitations.id, idOrToken), eq(invitations.token_hash, hashKey(idOrToken)));
  const found = await over(records).select().from(invitations).where(and(pending, named)).get();
  if (found === undefined) return undefined;
  const { id, email, role } = found;
  const act = {
    action: "invitation.revoked",
    organizationId,
    object: { kind: "user", id, name: email },
    before: { role },
  } as const;
  return (await isFirst(records, id, recorded(records, [useOf(records, id)], by, act))) ? id : undefined;
}

/** Whether a change with `useOf` was made; false if another use of the invitation was faster. */
async function isFirst(records: Database, invitationId: string, change: Promise<void>): Promise<boolean> {
  try {
    await change;
    return true;
  } catch (error) {
    const { id, used_at } = invitations;
    const found = await over(records).select({ used_at }).from(invitations).where(eq(id, invitationId)).get();
    if (found === undefined || found.used_at === null) throw error;
    return false;
  }
}

/** Uses up an invitation, which is accepted or revoked. */
export function useOf(records: Database, invitationId: string) {
  const { id, used_at } = invitations;
  return over(records)
    .update(invitations)
    .set({
      used_at: sql`iif(${used_at} is null, ${Date.now()}, null)`,
      // When another use was faster this is null, which the column rejects: the whole change fails.
      id: sql`iif(${used_at} is null, ${id}, null)`,
    })
    .where(eq(id, invitationId));
}

interface Accepted {
  readonly name: string;
  readonly password: string;
  /** Whether the password is that of an existing user; it limits the number of attempts. */
  readonly isTheirs: (user: User) => Promise<boolean>;
}

/**
 * Accepts an invitation: creates the user and the membership. An existing user must give their own password: the inviter sees
 * the link and must not take over an account with it.
 *
 * @throws GatewayError `not_found`; `invalid_auth` when the user exists and the password is wrong.
 */
export async function acceptInvitation(
  records: Database,
  token: string,
  { name, password, isTheirs }: Accepted,
  from: Pick<Acting, "address" | "requestId">,
): Promise<User> {
  const { id: invitationId, email, organization_id: organizationId, role } = await findInvitation(records, token);
  const known = await findUser(records, "email", email);
  if (known !== undefined && known.disabled_at !== null) throw noSuch();
  if (known !== undefined && !(await isTheirs(known)))
    throw new GatewayError("invalid_auth", "a user with this address exists: give their password", {
      path: "password",
    });
  const made = known === undefined ? await newUser(records, { email, name, password }) : undefined;
  const own = { id: known?.id ?? made!.id, statements: made === undefined ? [] : [made.insert] };
  const by: Acting = { ...from, actor: { kind: "user", id: own.id, name: email } };
  const statements = [
    useOf(records, invitationId),
    ...own.statements,
    membership(records, own.id, { organizationId, role, source: "weir" }),
  ];
  const change = recorded(records, statements, by, {
    action: known === undefined ? "user.created" : "member.added",
    organizationId,
    object: { kind: "user", id: own.id, name: email },
    after: { role },
  });
  // The password took a while: meanwhile the invitation may have been revoked.
  if (!(await isFirst(records, invitationId, change))) throw noSuch();
  return (await findUser(records, "id", own.id))!;
}

/** Removes invitations that were used, revoked or expired more than 30 days before `now`; the audit log keeps what happened. */
export async function removeEndedInvitations(records: Database, now: number): Promise<void> {
  const { used_at, expires_at } = invitations;
  const isOld = lt(sql`coalesce(${used_at}, ${expires_at})`, now - KEPT_MS);
  await patiently(() => over(records).delete(invitations).where(isOld));
}
