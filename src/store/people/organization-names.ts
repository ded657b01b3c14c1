import { eq, sql } from "drizzle-orm";
import type { Act } from "../../people/actions.ts";
import { type Acting, SYSTEM } from "../../people/actor.ts";
import { organizations } from "../../record/tables.ts";
import { record } from "../audit/recorded.ts";
import { over } from "../database/builder.ts";
import { freeOrganizationId } from "../organization-id.ts";
import type { Database } from "../store.ts";

/** Name of the organization that a first start creates. */
export const FIRST_ORGANIZATION = "default";

/** The oldest organization runs the deployment: its admins see and create keys of every organization. */
export async function firstOrganizationId(records: Database): Promise<string | undefined> {
  const { created_at, id } = organizations;
  return (await over(records).select({ id }).from(organizations).orderBy(created_at, sql`rowid`).limit(1).get())?.id;
}

/** The id of the organization, or the one it will get. */
export async function idOfOrganization(records: Database, name: string): Promise<string> {
  return (await organizationNamed(records, name)) ?? freeOrganizationId(records, name);
}

/** @returns its id; creates an organization if there is none with this name. */
export async function ensureOrganization(records: Database, name: string, by: Acting = SYSTEM): Promise<string> {
  const known = await organizationNamed(records, name);
  if (known !== undefined) return known;
  const id = await freeOrganizationId(records, name);
  const insert = over(records).insert(organizations).values({ id, name, created_at: Date.now() }).onConflictDoNothing();
  await record(records, { statements: [insert], by, acts: [organizationMade(id, name)], ifChanged: true });
  return (await organizationNamed(records, name))!;
}

/** Id of the organization with this name. */
export async function organizationNamed(records: Database, name: string): Promise<string | undefined> {
  return (await over(records).select().from(organizations).where(eq(organizations.name, name)).get())?.id;
}

/** Oldest first. */
export async function listOrganizations(records: Database): Promise<{ readonly id: string; readonly name: string }[]> {
  const { id, name, created_at } = organizations;
  return over(records).select({ id, name }).from(organizations).orderBy(created_at, sql`rowid`);
}

export async function organizationName(records: Database, id: string): Promise<string | undefined> {
  return (await over(records).select().from(organizations).where(eq(organizations.id, id)).get())?.name;
}

/** The audit entry of a new organization. */
export function organizationMade(id: string, name: string): Act {
  return { action: "organization.created", organizationId: id, object: { kind: "organization", id, name } };
}
