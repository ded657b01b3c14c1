import { and, eq } from "drizzle-orm";
import { GatewayError } from "../../errors.ts";
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

/** Adds a member or changes their role. */
export async function putMember(
  records: Database,
  user: Pick<User, "id" | "email">,
  member: Member,
  by: Acting,
): Promise<void> {
  const [known] = await listMembers(records, member.organizationId, user.id);
  if (known?.role === member.role && known.source === member.source) return;
  await recorded(records, [membership(records, user.id, member)], by, {
    action: known === undefined ? "member.added" : "member.changed",
    organizationId: member.organizationId,
    object: { kind: "user", id: user.id, name: user.email },
    ...(known !== undefined && { before: { role: known.role, source: known.source } }),
    after: { role: member.role, source: member.source },
  });
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
  const which = and(eq(members.organization_id, organizationId), eq(members.user_id, userId));
  await recorded(records, [over(records).delete(members).where(which)], by, {
    action: "member.removed",
    organizationId,
    object: { kind: "user", id: userId, name: known.email },
    before: { role: known.role },
  });
  return true;
}
