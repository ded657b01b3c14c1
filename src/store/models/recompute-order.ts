import { patiently } from "../database/patiently.ts";
import { readSetting, removeSetting, writeSetting } from "../settings.ts";
import type { Database } from "../store.ts";

/** What stands under these names in `settings`. */
export const ORDER = "costs recompute order";
export const STATE = "costs recompute state";
/** How far a recomputation is. */
export interface Progress {
  readonly seen: number;
  readonly changed: number;
  /** US dollars of the records seen, as recorded and as computed now. */
  readonly before: number;
  readonly after: number;
  readonly total: number;
}

/** Costs to compute again, for a running service: it is the one that writes records. */
export interface RecomputeOrder {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly model: string | null;
  readonly dryRun: boolean;
}

/** How far an order is. */
export interface RecomputeState extends Progress {
  readonly id: string;
  readonly done: boolean;
  /** Why it was given up. */
  readonly failed?: string;
}

/** Orders it from the service, replacing an order that is not processed yet. */
export async function placeOrder(records: Database, order: RecomputeOrder): Promise<void> {
  await writeOrder(records, ORDER, order);
}

/** What has come of an order; undefined before it is begun. */
export async function stateOf(records: Database, id: string): Promise<RecomputeState | undefined> {
  const state = await readOrder<RecomputeState>(records, STATE);
  return state?.id === id ? state : undefined;
}

/** A job's order or state, which the command line and the service share. */
export async function readOrder<T>(records: Database, name: string): Promise<T | undefined> {
  const value = await readSetting(records, name);
  return value === undefined ? undefined : (JSON.parse(value) as T);
}

export function writeOrder(records: Database, name: string, value: object): Promise<void> {
  return patiently(() => writeSetting(records, name, JSON.stringify(value)));
}

/** Another order that came meanwhile stays. */
export function removeOrder(records: Database, name: string, value: object): Promise<void> {
  return patiently(() => removeSetting(records, name, JSON.stringify(value)));
}
