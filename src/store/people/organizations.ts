import { and, desc, eq, inArray, isNull, or, sql } from "drizzle-orm";
import { GatewayError } from "../../errors.ts";
import type { Act } from "../../people/actions.ts";
import type { Acting } from "../../people/actor.ts";
import { isoTime } from "../../record/iso-time.ts";
import * as tables from "../../record/tables.ts";
import { recorded } from "../audit/recorded.ts";
import { ifGiven, over } from "../database/builder.ts";
import { listKeys } from "../keys.ts";
import { freeOrganizationId } from "../organization-id.ts";
import type { Database } from "../store.ts";
import { firstOrganizationId, organizationMade } from "./organization-names.ts";

const { keys, members, organizations } = tables;

/** An organization as the API shows it. */
export interface ShownOrganization {
  readonly id: string;
  readonly name: string;
  /** Maximum lifetime of a new key in days; 0 for no limit, null for the configured one. */
  readonly max_key_days: number | null;
  readonly members: number;
  readonly keys: number;
  readonly created_at: string;
}

/** Oldest first. */
export async function shownOrganizations(records: Database, id?: string): Promise<ShownOrganization[]> {
  const { id: own, name, max_key_days, created_at: created } = organizations;
  const db = over(records);
  const working = and(eq(keys.organization_id, own), isNull(keys.revoked_at));
  const counts = { members: db.$count(members, eq(members.organization_id, own)), keys: db.$count(keys, working) };
  const rows = await db
    .select({ id: own, name, max_key_days, created, ...counts })
    .from(organizations)
    .where(ifGiven(own, id))
    .orderBy(created, sql`${organizations}.rowid`);
  return rows.map(({ created: at, ...row }) => ({ ...row, created_at: isoTime(at) }));
}

/** By id, then by name. */
export async function findOrganization(records: Database, idOrName: string): Promise<ShownOrganization | undefined> {
  const { id, name } = organizations;
  const found = await over(records)
    .select({ id })
    .from(organizations)
    .where(or(eq(id, idOrName), eq(name, idOrName)))
    .orderBy(desc(eq(id, idOrName)))
    .limit(1)
    .get();
  return found && (await shownOrganizations(records, found.id))[0];
}

/** @throws GatewayError `duplicate_name`. */
export async function createOrganization(records: Database, name: string, by: Acting): Promise<ShownOrganization> {
  await refuseTaken(records, name);
  const id = await freeOrganizationId(records, name);
  const insert = over(records).insert(organizations).values({ id, name, created_at: Date.now() });
  await recorded(records, [insert], by, organizationMade(id, name));
  return (await shownOrganizations(records, id))[0]!;
}

interface OrganizationChange {
  readonly name?: string;
  readonly max_key_days?: number | null;
}

/** @returns undefined when there is no such organization. @throws GatewayError `duplicate_name`. */
export async function changeOrganization(
  records: Database,
  id: string,
  change: OrganizationChange,
  by: Acting,
): Promise<ShownOrganization | undefined> {
  const [known] = await shownOrganizations(records, id);
  if (known === undefined) return undefined;
  const { name = known.name, max_key_days = known.max_key_days } = change;
  if (name !== known.name) await refuseTaken(records, name);
  const update = over(records).update(organizations).set({ name, max_key_days }).where(eq(organizations.id, id));
  await recorded(records, [update], by, {
    action: "organization.changed",
    organizationId: id,
    object: { kind: "organization", id, name },
    before: { name: known.name, max_key_days: known.max_key_days },
    after: { name, max_key_days },
  });
  return (await shownOrganizations(records, id))[0];
}

/** Tables with settings of an organization, which are removed with it; its records must be removed before. */
const TABLES = [
  ...[tables.keys, tables.members, tables.invitations, tables.credentials, tables.routes, tables.prices],
  ...[tables.models, tables.mappings, tables.webhooks, tables.deliveries, tables.retention, tables.retentionRuns],
  ...[tables.savedViews, tables.dashboards, tables.sharedLinks, tables.sessionTags, tables.judges, tables.judgements],
  ...[tables.reviews, tables.reviewItems, tables.reviewAnswers],
  // Last, because the statements before depend on them.
  ...[tables.alerts, tables.datasets, tables.datasetRuns],
];

/** Removes an organization without records. @throws GatewayError `invalid_body` for the one that runs the deployment. */
export async function removeOrganization(records: Database, id: string, by: Acting): Promise<boolean> {
  const [known] = await shownOrganizations(records, id);
  if (known === undefined) return false;
  await refuseFirst(records, id);
  const db = over(records);
  const { alerts, alertEvents, alertStates, datasets, datasetItems, datasetRuns, datasetRunResults } = tables;
  const own = (table: typeof alerts | typeof datasets | typeof datasetRuns) =>
    db.select({ id: table.id }).from(table).where(eq(table.organization_id, id));
  const statements = [
    db.delete(alertStates).where(inArray(alertStates.alert_id, own(alerts))),
    db.delete(alertEvents).where(inArray(alertEvents.alert_id, own(alerts))),
    db.delete(datasetItems).where(inArray(datasetItems.dataset_id, own(datasets))),
    db.delete(datasetRunResults).where(inArray(datasetRunResults.run_id, own(datasetRuns))),
    ...TABLES.map((table) => db.delete(table).where(eq(table.organization_id, id))),
    db.delete(organizations).where(eq(organizations.id, id)),
  ];
  await recorded(records, statements, by, {
    action: "organization.removed",
    organizationId: id,
    object: { kind: "organization", id, name: known.name },
  });
  return true;
}

/** Revokes all keys of an organization, so that nothing more is recorded for it. */
export async function stopKeys(records: Database, organizationId: string, by: Acting): Promise<void> {
  const all = await listKeys(records, { organizationId });
  const acts = all
    .filter(({ revoked_at }) => revoked_at === null)
    .map(({ id, name }): Act => ({ action: "key.revoked", organizationId, object: { kind: "key", id, name } }));
  if (acts.length === 0) return;
  const working = and(eq(keys.organization_id, organizationId), isNull(keys.revoked_at));
  await recorded(records, [over(records).update(keys).set({ revoked_at: Date.now() }).where(working)], by, ...acts);
}

/** @throws GatewayError `invalid_body` for the organization that runs the deployment. */
export async function refuseFirst(records: Database, id: string): Promise<void> {
  if ((await firstOrganizationId(records)) !== id) return;
  throw new GatewayError("invalid_body", "the first organization runs the deployment and cannot be removed");
}

/** Maximum lifetime in days of a new key of an organization; 0 for no limit. @param name - it may not exist yet. */
export async function maxKeyDays(
  records: Database,
  { max_key_days }: { readonly max_key_days: number },
  name: string,
): Promise<number> {
  const row = await over(records).select().from(organizations).where(eq(organizations.name, name)).get();
  return row?.max_key_days ?? max_key_days;
}

async function refuseTaken(records: Database, name: string): Promise<void> {
  if ((await over(records).$count(organizations, eq(organizations.name, name))) > 0)
    throw new GatewayError("duplicate_name", `there is an organization ${JSON.stringify(name)} already`, {
      path: "name",
    });
}
