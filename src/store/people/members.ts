import { and, eq } from "drizzle-orm";
import { GatewayError } from "../../errors.ts";
import type { Act } from "../../people/actions.ts";
import type { Acting } from "../../people/actor.ts";
import { ROLE_NAMES, type Role } from "../../people/permissions.ts";
import { isoTime, isoTimeOrNull } from "../../record/iso-time.ts";
import { members, users } from "../../record/tables.ts";
import { recorded } from "../audit/recorded.ts";
import { type Change, ifGiven, over } from "../database/builder.ts";
import type { Database } from "../store.ts";
import type { User } from "./users.ts";

/** Roles that a membership may have. */
export const MEMBER_ROLES = ROLE_NAMES.filter((role) => role !== "operator");
export type MemberRole = Exclude<Role, "operator">;

/** @throws GatewayError `invalid_body`. */
export function readRole(text: string): MemberRole {
  if ((MEMBER_ROLES as readonly string[]).includes(text)) return text as MemberRole;
  const message = `role: there is no role ${JSON.stringify(text.slice(0, 100))}; give one of ${MEMBER_ROLES.join(", ")}`;
  throw new GatewayError("invalid_body", message, { path: "role" });
}

/** A member as the API shows it. */
export interface ShownMember {
  readonly user_id: string;
  readonly email: string;
  readonly name: string;
  readonly role: MemberRole;
  /** `weir`, or `sso:<name>` when a single sign-on rule gives the membership. */
  readonly source: string;
  readonly disabled: boolean;
  readonly created_at: string;
  readonly last_login_at: string | null;
}

export async function listMembers(records: Database, organizationId: string, userId?: string): Promise<ShownMember[]> {
  const { user_id, role, source, created_at } = members;
  const { email, name, disabled_at, last_login_at } = users;
  const rows = await over(records)
    .select({ user_id, email, name, role, source, created_at, disabled_at, last_login_at })
    .from(members)
    .innerJoin(users, eq(users.id, user_id))
    .where(and(eq(members.organization_id, organizationId), ifGiven(user_id, userId)))
    .orderBy(email);
  return rows.map(({ disabled_at, created_at, last_login_at, ...row }) => ({
    ...row,
    disabled: disabled_at !== null,
    created_at: isoTime(created_at),
    last_login_at: isoTimeOrNull(last_login_at),
  }));
}

interface Member {
  readonly organizationId: string;
  readonly role: MemberRole;
  readonly source: string;
}

/** Statement that adds a member or changes their role. */
export function membership(records: Database, userId: string, { organizationId, role, source }: Member): Change {
  const now = Date.now();
  const set = { role, source, updated_at: now };
  return over(records)
    .insert(members)
    .values({ ...set, user_id: userId, organization_id: organizationId, created_at: now })
    .onConflictDoUpdate({ target: [members.user_id, members.organization_id], set });
}

/** A change with its entry in the audit log. */
export interface LoggedChange {
  readonly change: Change;
  readonly act: Act;
}

type Person = Pick<User, "id" | "email">;
type Held = Pick<Member, "role" | "source">;

/** @param known - the membership that it replaces. @returns undefined if it is the same. */
export function memberPut(
  records: Database,
  user: Person,
  member: Member,
  known: Held | undefined,
): LoggedChange | undefined {
  const { organizationId, role, source } = member;
  if (known?.role === role && known.source === source) return undefined;
  const act: Act = {
    action: known === undefined ? "member.added" : "member.changed",
    organizationId,
    object: { kind: "user", id: user.id, name: user.email },
    ...(known !== undefined && { before: { role: known.role, source: known.source } }),
    after: { role, source },
  };
  return { change: membership(records, user.id, member), act };
}

export function memberRemoved(
  records: Database,
  user: Person,
  { organizationId, role }: Pick<Member, "organizationId" | "role">,
): LoggedChange {
  const which = and(eq(members.organization_id, organizationId), eq(members.user_id, user.id));
  const act: Act = {
    action: "member.removed",
    organizationId,
    object: { kind: "user", id: user.id, name: user.email },
    before: { role },
  };
  return { change: over(records).delete(members).where(which), act };
}

/** Adds a member or changes their role. */
export async function putMember(records: Database, user: Person, member: Member, by: Acting): Promise<void> {
  const [known] = await listMembers(records, member.organizationId, user.id);
  const put = memberPut(records, user, member, known);
  if (put !== undefined) await recorded(records, [put.change], by, put.act);
}

/** @returns false when there is no such member. */
export async function removeMember(
  records: Database,
  organizationId: string,
  userId: string,
  by: Acting,
): Promise<boolean> {
  const [known] = await listMembers(records, organizationId, userId);
  if (known === undefined) return false;
  const user = { id: userId, email: known.email };
  const { change, act } = memberRemoved(records, user, { organizationId, role: known.role });
  await recorded(records, [change], by, act);
  return true;
}
