import type { Mapping } from "../../mapping/mapping.ts";
import type { Act } from "../../people/actions.ts";
import type { Acting } from "../../people/actor.ts";
import { recorded } from "../audit/recorded.ts";
import { patiently } from "../database/patiently.ts";
import type { Database, Statement, Value } from "../store.ts";

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
  /** Exchanges that it was learnt from. */
  readonly samples: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

interface MappingRow {
  readonly organization_id: string;
  readonly provider: string;
  readonly model: string;
  readonly version: number;
  readonly state: MappingState | typeof APPROVED_BEFORE;
  readonly origin: "inferred" | "edited";
  readonly mapping: string;
  readonly confidence: number;
  readonly samples: number;
  readonly created_at: number;
  readonly updated_at: number;
}

const COLUMNS =
  "organization_id, provider, model, version, state, origin, mapping, confidence, samples, created_at, updated_at";
/** How a replaced version is stored that an admin had approved, for the day that it comes back; shown as replaced. */
const APPROVED_BEFORE = "replaced approved";
/** The version that records are read with. */
const CURRENT = "state in ('active', 'approved')";

/** The mappings that records are read with: of all organizations, or of one. */
export async function currentMappings(records: Database, organizationId?: string): Promise<StoredMapping[]> {
  const sql = `select ${COLUMNS} from mappings where ${CURRENT} and (?1 is null or organization_id = ?1)`;
  return (await records.query<MappingRow>({ sql, args: [organizationId ?? null] })).map(toMapping);
}

/** Every version of a model's mappings, in whichever providers, newest first. */
export async function mappingHistory(
  records: Database,
  { organizationId, model, provider }: Omit<ModelName, "provider"> & { readonly provider?: string | undefined },
): Promise<StoredMapping[]> {
  const sql = `select ${COLUMNS} from mappings where organization_id = ? and model = ? and (?3 is null or provider = ?3)
    order by provider, version desc`;
  return (await records.query<MappingRow>({ sql, args: [organizationId, model, provider ?? null] })).map(toMapping);
}

type MappingOrder = Pick<StoredMapping, "state" | "origin" | "mapping" | "confidence" | "samples">;

/** Adds a version. One that records are to be read with takes the place of the one before, and old records are read again. */
export async function addMapping(records: Database, name: ModelName, order: MappingOrder, by: Acting): Promise<void> {
  const now = Date.now();
  const isCurrent = order.state !== "draft";
  const key = keyOf(name);
  const insert: Statement = {
    sql: `insert into mappings (${COLUMNS}, reread_after)
      select ?, ?, ?, coalesce(max(version), 0) + 1, ?, ?, ?, ?, ?, ?, ?, ?
      from mappings where organization_id = ? and provider = ? and model = ?`,
    args: [
      ...key,
      order.state,
      order.origin,
      JSON.stringify(order.mapping),
      order.confidence,
      order.samples,
      now,
      now,
      isCurrent ? 0 : null,
      ...key,
    ],
  };
  const statements = isCurrent ? [retire(name, now), insert, modelIs(name, "mapped", null)] : [insert];
  await recorded(records, statements, by, { ...actOf("mapping.changed", name), after: order });
}

/** An admin agrees with a version: from now on records are read with it, and the mapper leaves it alone. */
export async function approveMapping(records: Database, name: ModelName, version: number, by: Acting): Promise<void> {
  const now = Date.now();
  const approve: Statement = {
    sql: `update mappings set state = 'approved', updated_at = ?, reread_after = coalesce(reread_after, 0)
      where organization_id = ? and provider = ? and model = ? and version = ?`,
    args: [now, ...keyOf(name), version],
  };
  const statements = [retire(name, now), approve, modelIs(name, "mapped", null)];
  await recorded(records, statements, by, { ...actOf("mapping.approved", name), after: { version } });
}

/**
 * Goes back from `version` to `previous`, which is approved only if it was before; without one the model is pending, and
 * the mapper tries only when asked to.
 */
export async function rollBackMapping(
  records: Database,
  name: ModelName,
  { version, previous }: { readonly version: number; readonly previous: number | undefined },
  by: Acting,
): Promise<void> {
  const now = Date.now();
  const key = keyOf(name);
  const statements: Statement[] = [
    {
      sql: `update mappings set state = 'rolled back', updated_at = ?, reread_after = ?
        where organization_id = ? and provider = ? and model = ? and version = ?`,
      args: [now, previous === undefined ? 0 : null, ...key, version],
    },
  ];
  if (previous === undefined) statements.push(modelIs(name, "pending", "its mapping was rolled back"));
  else {
    statements.push({
      sql: `update mappings set updated_at = ?, reread_after = 0,
          state = case when state = '${APPROVED_BEFORE}' or origin = 'edited' then 'approved' else 'active' end
        where organization_id = ? and provider = ? and model = ? and version = ?`,
      args: [now, ...key, previous],
    });
  }
  const change = { before: { version }, after: { version: previous ?? null } };
  await recorded(records, statements, by, { ...actOf("mapping.rolled_back", name), ...change });
}

function actOf(action: Act["action"], { organizationId, provider, model }: ModelName): Act {
  return { action, organizationId, object: { kind: "model", id: `${provider}/${model}`, name: model } };
}

/** Requests that `isRead` looks at: the newest. */
const LOOKED_AT = 2_000;

/** Whether a known format reads the model: the newest answer with it that succeeded says so. */
export async function isRead(records: Database, { organizationId, provider, model }: ModelName): Promise<boolean> {
  const sql = `select wire_schema from (
      select provider, model, model_override, request_model, wire_schema, response_status, seq from whole_requests
      where organization_id = ?1 order by request_created_at desc, request_id desc limit ${LOOKED_AT}
    ) where provider = ?2 and ?3 in (model, coalesce(model_override, request_model, model))
    and response_status between 200 and 299 order by seq desc limit 1`;
  const [row] = await records.query<{ wire_schema: string | null }>({ sql, args: [organizationId, provider, model] });
  return row !== undefined && row.wire_schema !== null && row.wire_schema !== "mapped";
}

/** A model is mapped, and nobody waits for that any more. */
export async function markMapped(records: Database, name: ModelName): Promise<void> {
  await patiently(() => records.batch([modelIs(name, "mapped", null)]));
}

/** A model stays pending, and this is why. */
export async function markPending(records: Database, name: ModelName, reason: string): Promise<void> {
  await patiently(() => records.batch([modelIs(name, "pending", reason)]));
}

/** A mapping whose model's records are still to be read again, and up to where they are. */
export interface Reread extends ModelName {
  readonly version: number;
  readonly after: number;
}

export async function nextReread(records: Database): Promise<Reread | undefined> {
  const sql = `select organization_id, provider, model, version, reread_after as after from mappings
    where reread_after is not null order by updated_at limit 1`;
  const [row] = await records.query<MappingRow & { after: number }>({ sql, args: [] });
  if (row === undefined) return undefined;
  const { organization_id: organizationId, provider, model, version, after } = row;
  return { organizationId, provider, model, version, after };
}

/** Notes how far records were read again; null when all are. A change of the mapping meanwhile starts it anew. */
export async function noteReread(records: Database, reread: Reread, after: number | null): Promise<void> {
  const sql = `update mappings set reread_after = ? where organization_id = ? and provider = ? and model = ?
    and version = ? and reread_after = ?`;
  await patiently(() => records.batch([{ sql, args: [after, ...keyOf(reread), reread.version, reread.after] }]));
}

const keyOf = ({ organizationId, provider, model }: ModelName): Value[] => [organizationId, provider, model];

function retire(name: ModelName, now: number): Statement {
  return {
    sql: `update mappings set updated_at = ?, reread_after = null,
        state = case state when 'approved' then '${APPROVED_BEFORE}' else 'replaced' end
      where organization_id = ? and provider = ? and model = ? and ${CURRENT}`,
    args: [now, ...keyOf(name)],
  };
}

function modelIs(name: ModelName, state: "mapped" | "pending", reason: string | null): Statement {
  const sql = `update models set state = ?, reason = ?, expedited_at = null
    where organization_id = ? and provider = ? and model = ?`;
  return { sql, args: [state, reason, ...keyOf(name)] };
}

function toMapping(row: MappingRow): StoredMapping {
  return {
    organizationId: row.organization_id,
    provider: row.provider,
    model: row.model,
    version: row.version,
    state: row.state === APPROVED_BEFORE ? "replaced" : row.state,
    origin: row.origin,
    mapping: JSON.parse(row.mapping) as Mapping,
    confidence: row.confidence,
    samples: row.samples,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
