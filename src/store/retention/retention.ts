import { type Static, Type } from "@sinclair/typebox";
import type { Config } from "../../config.ts";
import { GatewayError } from "../../errors.ts";
import { type Acting, SYSTEM } from "../../people/actor.ts";
import { isoTime, isoTimeOrNull } from "../../record/iso-time.ts";
import { recorded } from "../audit/recorded.ts";
import { patiently } from "../database/patiently.ts";
import type { Database } from "../store.ts";

const DAYS = { minimum: 0, maximum: 36_500 };
const days = (description: string) =>
  Type.Optional(Type.Union([Type.Integer({ ...DAYS }), Type.Null()], { description }));

export const RETENTION_SCHEMA = Type.Object(
  {
    days: days("Days that records are kept; 0 is for good, null as configured."),
    body_days: days("Days that bodies are kept; 0 is for good, null as configured."),
    properties: Type.Optional(
      Type.Array(
        Type.Object(
          {
            property: Type.String({ minLength: 1, maxLength: 1_000 }),
            value: Type.Optional(Type.Union([Type.String({ maxLength: 10_000 }), Type.Null()])),
            days: days("Days that these records are kept instead; 0 is for good, null as all others."),
            body_days: days("Days that their bodies are kept instead."),
          },
          { additionalProperties: false },
        ),
        {
          maxItems: 100,
          description: "Records with a property are kept longer or shorter; of several the longest counts.",
        },
      ),
    ),
  },
  { additionalProperties: false },
);
type RetentionBody = Static<typeof RETENTION_SCHEMA>;

export interface PropertyRetention {
  readonly property: string;
  /** Null is any value. */
  readonly value: string | null;
  readonly days: number | null;
  readonly body_days: number | null;
}

/** What an organization wants; null is as configured, 0 for good. */
export interface RetentionRule {
  readonly days: number | null;
  readonly body_days: number | null;
  readonly properties: readonly PropertyRetention[];
}

/** @throws GatewayError `invalid_body` */
export function readRetention(body: RetentionBody): RetentionRule {
  const properties = (body.properties ?? []).map((each) => ({
    property: each.property,
    value: each.value ?? null,
    days: each.days ?? null,
    body_days: each.body_days ?? null,
  }));
  for (const [index, { days, body_days }] of properties.entries()) {
    if (days !== null || body_days !== null) continue;
    const path = `properties.${index}`;
    throw new GatewayError("invalid_body", `${path}: say days, body_days or both`, { path });
  }
  return { days: body.days ?? null, body_days: body.body_days ?? null, properties };
}

const DEFAULT: RetentionRule = { days: null, body_days: null, properties: [] };

type RetentionRow = Omit<RetentionRule, "properties"> & { readonly properties: string };

export async function retentionOf(records: Database, organizationId: string): Promise<RetentionRule> {
  const sql = "select days, body_days, properties from retention where organization_id = ?";
  const [row] = await records.query<RetentionRow>({ sql, args: [organizationId] });
  return row === undefined ? DEFAULT : { ...row, properties: JSON.parse(row.properties) };
}

export async function putRetention(
  records: Database,
  organizationId: string,
  rule: RetentionRule,
  by: Acting,
): Promise<void> {
  const sql = `insert into retention (organization_id, days, body_days, properties, updated_at) values (?, ?, ?, ?, ?)
    on conflict (organization_id) do update set days = excluded.days, body_days = excluded.body_days,
      properties = excluded.properties, updated_at = excluded.updated_at`;
  const args = [organizationId, rule.days, rule.body_days, JSON.stringify(rule.properties), Date.now()];
  await recorded(records, [{ sql, args }], by, {
    action: "retention.changed",
    organizationId,
    object: { kind: "retention", id: organizationId, name: "" },
    before: await retentionOf(records, organizationId),
    after: rule,
  });
}

/** Days in force for everything that no property says otherwise of; 0 is for good. */
export function inForce(rule: RetentionRule, config: Pick<Config, "retention_days" | "body_retention_days">) {
  return { days: rule.days ?? config.retention_days, body_days: rule.body_days ?? config.body_retention_days };
}

/** What the last run did for an organization; an empty id is what belongs to none. */
interface RetentionRun {
  readonly started_at: number;
  readonly finished_at: number | null;
  readonly records_removed: number;
  readonly bodies_removed: number;
  readonly orphans_removed: number;
  readonly bytes_freed: number;
  readonly error: string | null;
}

/** With what was freed for all organizations together. */
export async function lastRun(records: Database, organizationId: string): Promise<RetentionRun | undefined> {
  const sql = `select r.started_at, r.finished_at, r.records_removed, r.bodies_removed, r.error,
      coalesce(d.orphans_removed, 0) as orphans_removed, coalesce(d.bytes_freed, 0) as bytes_freed
    from retention_runs r left join retention_runs d on d.organization_id = '' where r.organization_id = ?`;
  return (await records.query<RetentionRun>({ sql, args: [organizationId] }))[0];
}

/** A run as it is shown. */
export function shownRun(run: RetentionRun | undefined) {
  if (run === undefined) return null;
  return { ...run, started_at: isoTime(run.started_at), finished_at: isoTimeOrNull(run.finished_at) };
}

/** @param organizationId - empty for what belongs to none. */
export async function noteRun(
  records: Database,
  organizationId: string,
  run: {
    readonly startedAt: number;
    readonly records: number;
    readonly bodies: number;
    readonly orphans: number;
    readonly freed: number;
    readonly error: string | null;
  },
): Promise<void> {
  const sql = `insert or replace into retention_runs (organization_id, started_at, finished_at, records_removed,
    bodies_removed, orphans_removed, bytes_freed, error) values (?, ?, ?, ?, ?, ?, ?, ?)`;
  const { startedAt, records: removed, bodies, orphans, freed, error } = run;
  const args = [organizationId, startedAt, Date.now(), removed, bodies, orphans, freed, error];
  const act = {
    action: "records.deleted",
    organizationId,
    object: { kind: "records", id: "", name: "" },
    before: { records: removed, bodies },
    after: { asked: "retention" },
  } as const;
  await recorded(records, [{ sql, args }], SYSTEM, ...(removed + bodies > 0 ? [act] : []));
}

/** Lets the service do a run at once, as soon as it sees this. */
export async function orderRun(records: Database, organizationId: string): Promise<void> {
  const now = Date.now();
  const sql = `insert into retention (organization_id, properties, ordered_at, updated_at) values (?, '[]', ?, ?)
    on conflict (organization_id) do update set ordered_at = excluded.ordered_at`;
  await patiently(() => records.batch([{ sql, args: [organizationId, now, now] }]));
}

/** Organizations that asked for a run which has not begun. */
export async function orderedRuns(records: Database): Promise<string[]> {
  const sql = "select organization_id as id from retention where ordered_at is not null";
  return (await records.query<{ id: string }>({ sql, args: [] })).map(({ id }) => id);
}

/** The runs begin. */
export async function takeOrders(records: Database, organizationIds: readonly string[]): Promise<void> {
  const sql = "update retention set ordered_at = null where organization_id in (select value from json_each(?))";
  await patiently(() => records.batch([{ sql, args: [JSON.stringify(organizationIds)] }]));
}
