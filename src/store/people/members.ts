import { GatewayError } from "../../errors.ts";
import type { Acting } from "../../people/actor.ts";
import { ROLE_NAMES, type Role } from "../../people/permissions.ts";
import { isoTime, isoTimeOrNull } from "../../record/iso-time.ts";
import { recorded } from "../audit/recorded.ts";
import type { Database, Statement } from "../store.ts";
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

/** A member as it is shown to people. */
export interface ShownMember {
  readonly user_id: string;
  readonly email: string;
  readonly name: string;
  readonly role: MemberRole;
  /** `weir`, or `sso:<name>` where a rule of single sign-on says so. */
  readonly source: string;
  readonly disabled: boolean;
  readonly created_at: string;
  readonly last_login_at: string | null;
}

interface MemberRow {
  readonly user_id: string;
  readonly email: string;
  readonly name: string;
  readonly role: MemberRole;
  readonly source: string;
  readonly created_at: number;
  readonly disabled_at: number | null;
  readonly last_login_at: number | null;
}

export async function listMembers(records: Database, organizationId: string, userId?: string): Promise<ShownMember[]> {
  const sql = `select m.user_id, u.email, u.name, m.role, m.source, m.created_at, u.disabled_at, u.last_login_at
    from members m join users u on u.id = m.user_id
    where m.organization_id = ?1 and (?2 is null or m.user_id = ?2) order by u.email`;
  const rows = await records.query<MemberRow>({ sql, args: [organizationId, userId ?? null] });
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

export function memberStatement(userId: string, { organizationId, role, source }: Member): Statement {
  const now = Date.now();
  const sql = `insert into members (user_id, organization_id, role, source, created_at, updated_at) values (?, ?, ?, ?, ?, ?)
    on conflict (user_id, organization_id) do update set role = excluded.role, source = excluded.source, updated_at = excluded.updated_at`;
  return { sql, args: [userId, organizationId, role, source, now, now] };
}

/** Makes a user a member, or changes what they are. */
export async function putMember(
  records: Database,
  user: Pick<User, "id" | "email">,
  member: Member,
  by: Acting,
): Promise<void> {
  const [known] = await listMembers(records, member.organizationId, user.id);
  if (known?.role === member.role && known.source === member.source) return;
  await recorded(records, [memberStatement(user.id, member)], by, {
    action: known === undefined ? "member.added" : "member.changed",
    organizationId: member.organizationId,
    object: { kind: "user", id: user.id, name: user.email },
    ...(known !== undefined && { before: { role: known.role, source: known.source } }),
    after: { role: member.role, source: member.source },
  });
}

/** @returns false where there is no such member. */
export async function removeMember(
  records: Database,
  organizationId: string,
  userId: string,
  by: Acting,
): Promise<boolean> {
  const [known] = await listMembers(records, organizationId, userId);
  if (known === undefined) return false;
  const sql = "delete from members where organization_id = ? and user_id = ?";
  await recorded(records, [{ sql, args: [organizationId, userId] }], by, {
    action: "member.removed",
    organizationId,
    object: { kind: "user", id: userId, name: known.email },
    before: { role: known.role },
  });
  return true;
}
