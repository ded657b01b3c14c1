import { GatewayError } from "../../errors.ts";
import type { Act } from "../../people/actions.ts";
import type { Acting } from "../../people/actor.ts";
import { isoTime } from "../../record/iso-time.ts";
import { recorded } from "../audit/recorded.ts";
import { firstOrganizationId, listKeys } from "../keys.ts";
import { freeOrganizationId } from "../organization-id.ts";
import type { Database, Statement } from "../store.ts";

/** An organization as it is shown to people. */
export interface ShownOrganization {
  readonly id: string;
  readonly name: string;
  /** Days that a new key works at most; 0 for no limit, null where the configuration says. */
  readonly max_key_days: number | null;
  readonly members: number;
  readonly keys: number;
  readonly created_at: string;
}

/** The oldest first. */
export async function shownOrganizations(records: Database, id?: string): Promise<ShownOrganization[]> {
  const rows = await records.query<ShownOrganization & { created: number }>({
    sql: `select o.id, o.name, o.max_key_days, o.created_at as created,
        (select count(*) from members m where m.organization_id = o.id) as members,
        (select count(*) from keys k where k.organization_id = o.id and k.revoked_at is null) as keys
      from organizations o where ?1 is null or o.id = ?1 order by o.created_at, o.rowid`,
    args: [id ?? null],
  });
  return rows.map(({ created, ...row }) => ({ ...row, created_at: isoTime(created) }));
}

/** By id, else by name. */
export async function findOrganization(records: Database, idOrName: string): Promise<ShownOrganization | undefined> {
  const sql = "select id from organizations where id = ?1 or name = ?1 order by id = ?1 desc limit 1";
  const [found] = await records.query<{ id: string }>({ sql, args: [idOrName] });
  return found && (await shownOrganizations(records, found.id))[0];
}

/** @throws GatewayError `duplicate_name`. */
export async function createOrganization(records: Database, name: string, by: Acting): Promise<ShownOrganization> {
  await refuseTaken(records, name);
  const id = await freeOrganizationId(records, name);
  const sql = "insert into organizations (id, name, created_at) values (?, ?, ?)";
  await recorded(records, [{ sql, args: [id, name, Date.now()] }], by, {
    action: "organization.created",
    organizationId: id,
    object: { kind: "organization", id, name },
  });
  return (await shownOrganizations(records, id))[0]!;
}

export interface OrganizationChange {
  readonly name?: string;
  readonly max_key_days?: number | null;
}

/** @returns undefined where there is no such organization. @throws GatewayError `duplicate_name`. */
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
  const sql = "update organizations set name = ?, max_key_days = ? where id = ?";
  await recorded(records, [{ sql, args: [name, max_key_days, id] }], by, {
    action: "organization.changed",
    organizationId: id,
    object: { kind: "organization", id, name },
    before: { name: known.name, max_key_days: known.max_key_days },
    after: { name, max_key_days },
  });
  return (await shownOrganizations(records, id))[0];
}

/** Tables with settings of an organization, which go with it; its records are removed before. */
const TABLES = [
  ...(["keys", "members", "invitations", "credentials", "routes", "prices", "models", "mappings", "webhooks"] as const),
  ...([
    "deliveries",
    "retention",
    "retention_runs",
    "saved_views",
    "dashboards",
    "shared_links",
    "session_tags",
    "judges",
    "judgements",
    "reviews",
    "review_items",
    "review_answers",
  ] as const),
];
/** What belongs to its alerts, which go last. */
const OF_ALERTS = ["alert_states", "alert_events"] as const;

/** Removes an organization that has no records any more. @throws GatewayError `invalid_body` for the one that runs the deployment. */
export async function removeOrganization(records: Database, id: string, by: Acting): Promise<boolean> {
  const [known] = await shownOrganizations(records, id);
  if (known === undefined) return false;
  await refuseFirst(records, id);
  const remove = (table: string, column: string): Statement => ({
    sql: `delete from ${table} where ${column} = ?`,
    args: [id],
  });
  const ofAlerts = OF_ALERTS.map((table) => ({
    sql: `delete from ${table} where alert_id in (select id from alerts where organization_id = ?)`,
    args: [id],
  }));
  const ofDatasets = [
    "delete from dataset_items where dataset_id in (select id from datasets where organization_id = ?)",
    "delete from dataset_run_results where run_id in (select id from dataset_runs where organization_id = ?)",
  ].map((sql) => ({ sql, args: [id] }));
  const statements = [
    ...ofAlerts,
    ...ofDatasets,
    ...[...TABLES, "alerts", "datasets", "dataset_runs"].map((table) => remove(table, "organization_id")),
    remove("organizations", "id"),
  ];
  await recorded(records, statements, by, {
    action: "organization.removed",
    organizationId: id,
    object: { kind: "organization", id, name: known.name },
  });
  return true;
}

/** Revokes all its keys: nothing of it is recorded any more. */
export async function stopKeys(records: Database, organizationId: string, by: Acting): Promise<void> {
  const now = Date.now();
  const all = await listKeys(records, { organizationId });
  const acts = all
    .filter(({ revoked_at }) => revoked_at === null)
    .map(({ id, name }): Act => ({ action: "key.revoked", organizationId, object: { kind: "key", id, name } }));
  if (acts.length === 0) return;
  const sql = "update keys set revoked_at = ? where organization_id = ? and revoked_at is null";
  await recorded(records, [{ sql, args: [now, organizationId] }], by, ...acts);
}

/** @throws GatewayError `invalid_body` for the organization that runs the deployment. */
export async function refuseFirst(records: Database, id: string): Promise<void> {
  if ((await firstOrganizationId(records)) !== id) return;
  throw new GatewayError("invalid_body", "the first organization runs the deployment and cannot be removed");
}

/** Days that a new key of an organization works at most; 0 for no limit. @param name - it may not exist yet. */
export async function maxKeyDays(
  records: Database,
  { max_key_days }: { readonly max_key_days: number },
  name: string,
): Promise<number> {
  const sql = "select max_key_days from organizations where name = ?";
  const [row] = await records.query<{ max_key_days: number | null }>({ sql, args: [name] });
  return row?.max_key_days ?? max_key_days;
}

async function refuseTaken(records: Database, name: string): Promise<void> {
  const [taken] = await records.query({ sql: "select 1 as taken from organizations where name = ?", args: [name] });
  if (taken !== undefined)
    throw new GatewayError("duplicate_name", `there is an organization ${JSON.stringify(name)} already`, {
      path: "name",
    });
}
