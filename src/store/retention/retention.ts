import { type Static, Type } from "@sinclair/typebox";
import { and, eq, isNotNull, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { Config } from "../../config.ts";
import { GatewayError } from "../../errors.ts";
import { type Acting, SYSTEM } from "../../people/actor.ts";
import { isoTime, isoTimeOrNull } from "../../record/iso-time.ts";
import { retention, retentionRuns } from "../../record/tables.ts";
import { recorded } from "../audit/recorded.ts";
import { over } from "../database/builder.ts";
import { patiently } from "../database/while-locked.ts";
import type { Database } from "../store.ts";

const DAYS = { minimum: 0, maximum: 36_500 };
const days = (description: string) =>
  Type.Optional(Type.Union([Type.Integer({ ...DAYS }), Type.Null()], { description }));

export const RETENTION_SCHEMA = Type.Object(
  {
    days: days("Days that records are kept; 0 means forever, null the configured value."),
    body_days: days("Days that bodies are kept; 0 means forever, null the configured value."),
    properties: Type.Optional(
      Type.Array(
        Type.Object(
          {
            property: Type.String({ minLength: 1, maxLength: 1_000 }),
            value: Type.Optional(Type.Union([Type.String({ maxLength: 10_000 }), Type.Null()])),
            days: days("Days that these records are kept instead; 0 means forever, null the value for all others."),
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
  /** Null matches any value. */
  readonly value: string | null;
  readonly days: number | null;
  readonly body_days: number | null;
}

/** The retention of an organization; null means as configured, 0 means forever. */
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

export async function retentionOf(records: Database, organizationId: string): Promise<RetentionRule> {
  const row = await over(records).select().from(retention).where(eq(retention.organization_id, organizationId)).get();
  if (row === undefined) return DEFAULT;
  return { days: row.days, body_days: row.body_days, properties: row.properties as PropertyRetention[] };
}

export async function putRetention(
  records: Database,
  organizationId: string,
  rule: RetentionRule,
  by: Acting,
): Promise<void> {
  const set = { ...rule, updated_at: Date.now() };
  const upsert = over(records)
    .insert(retention)
    .values({ ...set, organization_id: organizationId })
    .onConflictDoUpdate({ target: retention.organization_id, set });
  await recorded(records, [upsert], by, {
    action: "retention.changed",
    organizationId,
    object: { kind: "retention", id: organizationId, name: "" },
    before: await retentionOf(records, organizationId),
    after: rule,
  });
}

/** Days for records that no property rule covers; 0 means forever. */
export function inForce(rule: RetentionRule, config: Pick<Config, "retention_days" | "body_retention_days">) {
  return { days: rule.days ?? config.retention_days, body_days: rule.body_days ?? config.body_retention_days };
}

/** The last run for an organization; an empty id stands for records without an organization. */
interface RetentionRun {
  readonly started_at: number;
  readonly finished_at: number | null;
  readonly records_removed: number;
  readonly bodies_removed: number;
  readonly orphans_removed: number;
  readonly bytes_freed: number;
  readonly error: string | null;
}

/** Includes what was freed for all organizations together. */
export async function lastRun(records: Database, organizationId: string): Promise<RetentionRun | undefined> {
  const all = alias(retentionRuns, "of_all");
  const { started_at, finished_at, records_removed, bodies_removed, error } = retentionRuns;
  const ofAll = {
    orphans_removed: sql<number>`coalesce(${all.orphans_removed}, 0)`,
    bytes_freed: sql<number>`coalesce(${all.bytes_freed}, 0)`,
  };
  return over(records)
    .select({ started_at, finished_at, records_removed, bodies_removed, error, ...ofAll })
    .from(retentionRuns)
    .leftJoin(all, eq(all.organization_id, ""))
    .where(eq(retentionRuns.organization_id, organizationId))
    .get();
}

/** A run as the API shows it. */
export function shownRun(run: RetentionRun | undefined) {
  if (run === undefined) return null;
  return { ...run, started_at: isoTime(run.started_at), finished_at: isoTimeOrNull(run.finished_at) };
}

/** @param organizationId - empty for records without an organization. */
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
  const { startedAt, records: removed, bodies, orphans, freed, error } = run;
  const set = {
    ...{ started_at: startedAt, finished_at: Date.now(), records_removed: removed, bodies_removed: bodies },
    ...{ orphans_removed: orphans, bytes_freed: freed, error },
  };
  const upsert = over(records)
    .insert(retentionRuns)
    .values({ ...set, organization_id: organizationId })
    .onConflictDoUpdate({ target: retentionRuns.organization_id, set });
  const act = {
    action: "records.deleted",
    organizationId,
    object: { kind: "records", id: "", name: "" },
    before: { records: removed, bodies },
    after: { asked: "retention" },
  } as const;
  await recorded(records, [upsert], SYSTEM, ...(removed + bodies > 0 ? [act] : []));
}

/** The id by which a run for all organizations is ordered. */
export const EVERY_ORGANIZATION = "";

/** An ordered run that has not ended. */
export interface RetentionOrder {
  readonly organizationId: string;
  readonly orderedAt: number;
}

/** Orders a run; the service starts it as soon as it sees this. */
export async function orderRun(records: Database, organizationId: string): Promise<void> {
  const now = Date.now();
  const row = { organization_id: organizationId, properties: [], ordered_at: now, updated_at: now };
  const insert = over(records).insert(retention).values(row);
  await patiently(() => insert.onConflictDoUpdate({ target: retention.organization_id, set: { ordered_at: now } }));
}

export async function orderedRuns(records: Database): Promise<RetentionOrder[]> {
  const rows = await over(records).select().from(retention).where(isNotNull(retention.ordered_at));
  return rows.map(({ organization_id, ordered_at }) => ({ organizationId: organization_id, orderedAt: ordered_at! }));
}

/** Clears an order whose run has ended, unless another run was ordered meanwhile. */
export async function endOrder(records: Database, { organizationId, orderedAt }: RetentionOrder): Promise<void> {
  const which = and(eq(retention.organization_id, organizationId), eq(retention.ordered_at, orderedAt));
  await patiently(() => over(records).update(retention).set({ ordered_at: null }).where(which));
}
