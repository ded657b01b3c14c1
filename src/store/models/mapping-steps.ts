import type { Mapping } from "../../mapping/mapping.ts";
import type { Acting } from "../../people/actor.ts";
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

/** The version in use for a model, otherwise the newest. */
export const shownVersion = (history: readonly StoredMapping[]) => history.find(isCurrent) ?? history[0];

/** Approves the newest draft, otherwise the mapping in use. @returns undefined when there is neither. */
export async function approveNewest(
  records: Database,
  name: ModelName,
  by: Acting,
): Promise<StoredMapping | undefined> {
  const history = await mappingHistory(records, name);
  const wanted = history.find(({ state }) => state === "draft") ?? history.find(isCurrent);
  if (wanted === undefined) return undefined;
  await approveMapping(records, name, wanted.version, by);
  return shownVersion(await mappingHistory(records, name));
}

/** Goes back to the version before the one in use, or discards a draft. @returns undefined when there is nothing to roll back. */
export async function rollBack(records: Database, name: ModelName, by: Acting): Promise<StoredMapping | undefined> {
  const history = await mappingHistory(records, name);
  const wanted = history.find(isCurrent) ?? history.find(({ state }) => state === "draft");
  if (wanted === undefined) return undefined;
  const previous = isCurrent(wanted)
    ? history.find(({ state, version }) => state === "replaced" && version < wanted.version)
    : undefined;
  await rollBackMapping(records, name, { version: wanted.version, previous: previous?.version }, by);
  return shownVersion(await mappingHistory(records, name));
}

/** Stores an admin's own mapping: in use immediately, and the mapper never changes it. */
export async function putMapping(
  records: Database,
  name: ModelName,
  mapping: Mapping,
  by: Acting,
): Promise<StoredMapping> {
  const order = { state: "approved", origin: "edited", mapping, confidence: 1, samples: 0 } as const;
  await addMapping(records, name, order, by);
  return shownVersion(await mappingHistory(records, name))!;
}

/** A version as the API shows it. Times are ISO 8601. */
export function shownMapping(each: StoredMapping) {
  const { provider, model, version, state, origin, confidence, samples, mapping } = each;
  const [created_at, updated_at] = [isoTime(each.createdAt), isoTime(each.updatedAt)];
  return { provider, model, version, state, origin, confidence, samples, created_at, updated_at, mapping };
}
