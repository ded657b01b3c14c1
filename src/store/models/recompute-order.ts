import { patiently } from "../database/while-locked.ts";
import { readSetting, removeSetting, writeSetting } from "../settings.ts";
import type { Database } from "../store.ts";

/** Names of the entries in `settings`. */
export const ORDER = "costs recompute order";
export const STATE = "costs recompute state";
/** Progress of a recomputation. */
export interface Progress {
  readonly seen: number;
  readonly changed: number;
  /** US dollars for the records seen, as recorded and as computed now. */
  readonly before: number;
  readonly after: number;
  readonly total: number;
}

/** An order to recompute costs, for the running service, which is the only writer of records. */
export interface RecomputeOrder {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly model: string | null;
  readonly dryRun: boolean;
}

/** Progress of an order. */
export interface RecomputeState extends Progress {
  readonly id: string;
  readonly done: boolean;
  /** Why it was aborted. */
  readonly failed?: string;
}

/** Places an order for the service, replacing one that is not processed yet. */
export async function placeOrder(records: Database, order: RecomputeOrder): Promise<void> {
  await writeOrder(records, ORDER, order);
}

/** The state of an order; undefined before it starts. */
export async function stateOf(records: Database, id: string): Promise<RecomputeState | undefined> {
  const state = await readOrder<RecomputeState>(records, STATE);
  return state?.id === id ? state : undefined;
}

/** A job's order or state, shared by the command line and the service. */
export async function readOrder<T>(records: Database, name: string): Promise<T | undefined> {
  const value = await readSetting(records, name);
  return value === undefined ? undefined : (JSON.parse(value) as T);
}

export function writeOrder(records: Database, name: string, value: object): Promise<void> {
  return patiently(() => writeSetting(records, name, JSON.stringify(value)));
}

/** Removes an order, unless another one has replaced it. */
export function removeOrder(records: Database, name: string, value: object): Promise<void> {
  return patiently(() => removeSetting(records, name, JSON.stringify(value)));
}
