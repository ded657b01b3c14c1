import { createHash } from "node:crypto";
import { and, desc, eq, gt, isNull, lte } from "drizzle-orm";
import type { Role } from "../people/permissions.ts";
import { members, sharedLinks, users } from "../record/tables.ts";
import { over } from "./database/builder.ts";
import { patiently } from "./database/while-locked.ts";
import type { Database } from "./store.ts";

/** A link to one request or one session, for holders of its token. */
export type SharedLink = typeof sharedLinks.$inferSelect;

/** Maximum number of links per organization, not counting expired ones. */
export const LINKS_MAX = 10_000;

export const hashOfToken = (token: string): string => createHash("sha256").update(token).digest("hex");

/** Links that have not expired, newest first. */
export async function listLinks(records: Database, organizationId: string, now: number): Promise<SharedLink[]> {
  return over(records)
    .select()
    .from(sharedLinks)
    .where(and(eq(sharedLinks.organization_id, organizationId), gt(sharedLinks.expires_at, now)))
    .orderBy(desc(sharedLinks.created_at), sharedLinks.id);
}

export async function findLink(records: Database, organizationId: string, id: string): Promise<SharedLink | undefined> {
  const which = and(eq(sharedLinks.id, id), eq(sharedLinks.organization_id, organizationId));
  return over(records).select().from(sharedLinks).where(which).get();
}

/** The link of a token; undefined when it has expired. */
export async function linkOfToken(records: Database, token: string, now: number): Promise<SharedLink | undefined> {
  const which = and(eq(sharedLinks.token_hash, hashOfToken(token)), gt(sharedLinks.expires_at, now));
  return over(records).select().from(sharedLinks).where(which).get();
}

/** Adds a link and deletes the organization's expired ones. */
export async function addLink(records: Database, link: SharedLink): Promise<void> {
  const { organization_id, expires_at } = sharedLinks;
  const expired = and(eq(organization_id, link.organization_id), lte(expires_at, link.created_at));
  const db = over(records);
  await patiently(() => db.batch([db.delete(sharedLinks).where(expired), db.insert(sharedLinks).values(link)]));
}

export async function removeLink(records: Database, id: string): Promise<void> {
  await patiently(() => over(records).delete(sharedLinks).where(eq(sharedLinks.id, id)));
}

/** The role of a user in an organization; undefined for disabled and deleted users and for non-members. */
export async function roleIn(home: Database, userId: string, organizationId: string): Promise<Role | undefined> {
  const found = await over(home)
    .select({ operator: users.operator, role: members.role })
    .from(users)
    .leftJoin(members, and(eq(members.user_id, users.id), eq(members.organization_id, organizationId)))
    .where(and(eq(users.id, userId), isNull(users.disabled_at)))
    .get();
  return found?.operator === 1 ? "operator" : (found?.role ?? undefined);
}
