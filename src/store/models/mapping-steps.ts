import type { Mapping } from "../../mapping/mapping.ts";
import { isoTime } from "../../record/iso-time.ts";
import type { Database } from "../store.ts";
import {
  addMapping,
  approveMapping,
  type ModelName,
  mappingHistory,
  rollBackMapping,
  type StoredMapping,
} from "./mappings.ts";

/** Whether records are read with this version. */
export const isCurrent = ({ state }: StoredMapping) => state === "active" || state === "approved";

/** The version that a model is read with, else the newest. */
export const shownVersion = (history: readonly StoredMapping[]) => history.find(isCurrent) ?? history[0];

/** Approves the draft that is newest, else the mapping in force. @returns undefined where there is neither. */
export async function approveNewest(records: Database, name: ModelName): Promise<StoredMapping | undefined> {
  const history = await mappingHistory(records, name);
  const wanted = history.find(({ state }) => state === "draft") ?? history.find(isCurrent);
  if (wanted === undefined) return undefined;
  await approveMapping(records, name, wanted.version);
  return shownVersion(await mappingHistory(records, name));
}

/** Goes back to the version before the one in force; a draft is thrown away. @returns undefined where there is nothing. */
export async function rollBack(records: Database, name: ModelName): Promise<StoredMapping | undefined> {
  const history = await mappingHistory(records, name);
  const wanted = history.find(isCurrent) ?? history.find(({ state }) => state === "draft");
  if (wanted === undefined) return undefined;
  const previous = isCurrent(wanted)
    ? history.find(({ state, version }) => state === "replaced" && version < wanted.version)
    : undefined;
  await rollBackMapping(records, name, wanted.version, previous?.version);
  return shownVersion(await mappingHistory(records, name));
}

/** An admin's own mapping: in force at once, and the mapper leaves it alone. */
export async function putMapping(records: Database, name: ModelName, mapping: Mapping): Promise<StoredMapping> {
  await addMapping(records, name, { state: "approved", origin: "edited", mapping, confidence: 1, samples: 0 });
  return shownVersion(await mappingHistory(records, name))!;
}

/** A version as it is shown to people. Times are ISO 8601. */
export function shownMapping(each: StoredMapping) {
  const { provider, model, version, state, origin, confidence, samples, mapping } = each;
  const [created_at, updated_at] = [isoTime(each.createdAt), isoTime(each.updatedAt)];
  return { provider, model, version, state, origin, confidence, samples, created_at, updated_at, mapping };
}

export interface ModelRow {
  readonly organization_id: string;
  readonly provider: string;
  readonly model: string;
  readonly state: "pending" | "mapped";
  readonly count: number;
  readonly since: number;
  readonly reason: string | null;
}

/** Models that were seen, the most used first: of one organization, or of all. */
export async function listModels(records: Database, organizationId?: string, model?: string): Promise<ModelRow[]> {
  const sql = `select organization_id, provider, model, state, count, since, reason from models
    where (?1 is null or organization_id = ?1) and (?2 is null or model = ?2) order by count desc, provider, model`;
  return records.query<ModelRow>({ sql, args: [organizationId ?? null, model ?? null] });
}

/** Requests that `askedModels` looks at: the newest. */
const LOOKED_AT = 2_000;

/** Names that requests asked for, by `<provider> <model>` as they were recorded: an answer may name a version of it. */
export async function askedModels(records: Database, organizationId: string): Promise<Map<string, string[]>> {
  const sql = `select distinct provider, model, request_model as asked from (
      select provider, model, request_model from requests where organization_id = ?
      order by request_created_at desc, request_id desc limit ${LOOKED_AT}
    ) where request_model is not null and request_model <> model`;
  const rows = await records.query<{ provider: string; model: string; asked: string }>({ sql, args: [organizationId] });
  const names = Map.groupBy(rows, ({ provider, model }) => `${provider} ${model}`);
  return new Map([...names].map(([key, found]) => [key, found.map(({ asked }) => asked)]));
}
