import { and, desc, eq, inArray, isNotNull, max, or, sql } from "drizzle-orm";
import type { Mapping } from "../../mapping/mapping.ts";
import type { Act } from "../../people/actions.ts";
import type { Acting } from "../../people/actor.ts";
import { mappings, models } from "../../record/tables.ts";
import { recorded } from "../audit/recorded.ts";
import { ifGiven, over } from "../database/builder.ts";
import { patiently } from "../database/while-locked.ts";
import type { Database } from "../store.ts";

type MappingState = "draft" | "active" | "approved" | "replaced" | "rolled back";

/** A model of one organization. */
export interface ModelName {
  readonly organizationId: string;
  readonly provider: string;
  readonly model: string;
}

/** One version of a mapping. */
export interface StoredMapping extends ModelName {
  readonly version: number;
  readonly state: MappingState;
  readonly origin: "inferred" | "edited";
  readonly mapping: Mapping;
  /** 0 to 1. */
  readonly confidence: number;
  /** Exchanges that it was learned from. */
  readonly samples: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

type MappingRow = typeof mappings.$inferSelect;

/** State of a replaced version that an admin had approved, so that a rollback restores the approval; shown as replaced. */
const APPROVED_BEFORE = "replaced approved";
/** The version that records are read with. */
const CURRENT = inArray(mappings.state, ["active", "approved"]);

/** The mappings in use: of all organizations, or of one. */
export async function currentMappings(records: Database, organizationId?: string): Promise<StoredMapping[]> {
  const which = and(CURRENT, ifGiven(mappings.organization_id, organizationId));
  return (await over(records).select().from(mappings).where(which)).map(toMapping);
}

/** Every version of a model's mappings, with any provider, newest first. */
export async function mappingHistory(
  records: Database,
  { organizationId, model, provider }: Omit<ModelName, "provider"> & { readonly provider?: string | undefined },
): Promise<StoredMapping[]> {
  const { organization_id, model: which } = mappings;
  const rows = await over(records)
    .select()
    .from(mappings)
    .where(and(eq(organization_id, organizationId), eq(which, model), ifGiven(mappings.provider, provider)))
    .orderBy(mappings.provider, desc(mappings.version));
  return rows.map(toMapping);
}

type MappingOrder = Pick<StoredMapping, "state" | "origin" | "mapping" | "confidence" | "samples">;

/** Adds a version. One that is in use immediately replaces the previous one, and old records are read again. */
export async function addMapping(records: Database, name: ModelName, order: MappingOrder, by: Acting): Promise<void> {
  const now = Date.now();
  const isCurrent = order.state !== "draft";
  const { organizationId, provider, model } = name;
  const { state, origin, mapping, confidence, samples } = order;
  const last = over(records)
    .select({ version: max(mappings.version) })
    .from(mappings)
    .where(ofModel(mappings, name));
  const insert = over(records)
    .insert(mappings)
    .values({
      ...{ organization_id: organizationId, provider, model, version: sql`coalesce(${last}, 0) + 1` },
      ...{ state, origin, mapping, confidence, samples },
      ...{ created_at: now, updated_at: now, reread_after: isCurrent ? 0 : null },
    });
  const statements = isCurrent
    ? [retirement(records, name, now), insert, modelIs(records, name, "mapped", null)]
    : [insert];
  await recorded(records, statements, by, { ...actOf("mapping.changed", name), after: order });
}

/** Marks a version as approved by an admin: records are read with it from now on, and the mapper never changes it. */
export async function approveMapping(records: Database, name: ModelName, version: number, by: Acting): Promise<void> {
  const now = Date.now();
  const approval = over(records)
    .update(mappings)
    .set({ state: "approved", updated_at: now, reread_after: sql`coalesce(${mappings.reread_after}, 0)` })
    .where(ofVersion(name, version));
  const statements = [retirement(records, name, now), approval, modelIs(records, name, "mapped", null)];
  await recorded(records, statements, by, { ...actOf("mapping.approved", name), after: { version } });
}

/**
 * Goes back from `version` to `previous`, which counts as approved only if it was before. Without `previous` the model is
 * pending, and the mapper tries again only on request.
 */
export async function rollBackMapping(
  records: Database,
  name: ModelName,
  { version, previous }: { readonly version: number; readonly previous: number | undefined },
  by: Acting,
): Promise<void> {
  const now = Date.now();
  const back = over(records)
    .update(mappings)
    .set({ state: "rolled back", updated_at: now, reread_after: previous === undefined ? 0 : null, reread_id: null })
    .where(ofVersion(name, version));
  const { state, origin } = mappings;
  const again = sql`iif(${or(eq(state, APPROVED_BEFORE), eq(origin, "edited"))}, 'approved', 'active')`;
  const next =
    previous === undefined
      ? modelIs(records, name, "pending", "its mapping was rolled back")
      : over(records)
          .update(mappings)
          .set({ updated_at: now, reread_after: 0, reread_id: null, state: again })
          .where(ofVersion(name, previous));
  const statements = [back, next];
  const change = { before: { version }, after: { version: previous ?? null } };
  await recorded(records, statements, by, { ...actOf("mapping.rolled_back", name), ...change });
}

function actOf(action: Act["action"], { organizationId, provider, model }: ModelName): Act {
  return { action, organizationId, object: { kind: "model", id: `${provider}/${model}`, name: model } };
}

/** Marks a model as mapped and clears its order. */
export async function markMapped(records: Database, name: ModelName): Promise<void> {
  await patiently(() => modelIs(records, name, "mapped", null));
}

/** Keeps a model pending, with the reason. */
export async function markPending(records: Database, name: ModelName, reason: string): Promise<void> {
  await patiently(() => modelIs(records, name, "pending", reason));
}

/** A mapping whose model's records must be read again, and the last one that was; undefined at the start. */
export interface Reread extends ModelName {
  readonly version: number;
  readonly after: Reached | undefined;
}

interface Reached {
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly requestId: string;
}

export async function nextReread(records: Database): Promise<Reread | undefined> {
  const { organization_id: organizationId, provider, model, version, reread_after, reread_id } = mappings;
  const row = await over(records)
    .select({ organizationId, provider, model, version, createdAt: sql<number>`${reread_after}`, requestId: reread_id })
    .from(mappings)
    .where(isNotNull(reread_after))
    .orderBy(mappings.updated_at)
    .limit(1)
    .get();
  if (row === undefined) return undefined;
  const { createdAt, requestId, ...mapping } = row;
  return { ...mapping, after: requestId === null ? undefined : { createdAt, requestId } };
}

/** Notes how far records have been read again; undefined when all are. If the mapping changed meanwhile, reading starts over. */
export async function noteReread(records: Database, reread: Reread, after: Reached | undefined): Promise<void> {
  const isThere = sql`${mappings.reread_after} is not null and ${mappings.reread_id} is ${reread.after?.requestId ?? null}`;
  const set = { reread_after: after?.createdAt ?? null, reread_id: after?.requestId ?? null };
  const which = and(ofVersion(reread, reread.version), isThere);
  await patiently(() => over(records).update(mappings).set(set).where(which));
}

const ofModel = (table: typeof mappings | typeof models, { organizationId, provider, model }: ModelName) =>
  and(eq(table.organization_id, organizationId), eq(table.provider, provider), eq(table.model, model));

const ofVersion = (name: ModelName, version: number) => and(ofModel(mappings, name), eq(mappings.version, version));

function retirement(records: Database, name: ModelName, now: number) {
  const state = sql`iif(${eq(mappings.state, "approved")}, ${APPROVED_BEFORE}, 'replaced')`;
  return over(records)
    .update(mappings)
    .set({ updated_at: now, reread_after: null, reread_id: null, state })
    .where(and(ofModel(mappings, name), CURRENT));
}

function modelIs(records: Database, name: ModelName, state: "mapped" | "pending", reason: string | null) {
  return over(records).update(models).set({ state, reason, expedited_at: null }).where(ofModel(models, name));
}

function toMapping(row: MappingRow): StoredMapping {
  return {
    organizationId: row.organization_id,
    provider: row.provider,
    model: row.model,
    version: row.version,
    state: row.state === APPROVED_BEFORE ? "replaced" : row.state,
    origin: row.origin,
    mapping: row.mapping as Mapping,
    confidence: row.confidence,
    samples: row.samples,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
