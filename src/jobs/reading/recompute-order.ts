import { messageOf } from "../../observe.ts";
import { patiently } from "../../store/database/patiently.ts";
import type { LearntTables } from "../../store/models/learnt.ts";
import type { Database, Store } from "../../store/store.ts";
import { type Progress, type RecomputeOptions, recomputeCosts } from "./recompute.ts";

/** What stands under these names in `settings`. */
const ORDER = "costs recompute order";
const STATE = "costs recompute state";
/** The one who ordered looks twice a second at most. */
const TOLD_MS = 500;

/** Costs to compute anew, for a running service: it is the one that writes records. */
export interface RecomputeOrder {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly model: string | null;
  readonly dryRun: boolean;
}

/** How far an order is. */
interface RecomputeState extends Progress {
  readonly id: string;
  readonly done: boolean;
  /** Why it was given up. */
  readonly failed?: string;
}

/** Orders it from the service, in the place of an order that nobody has served yet. */
export async function placeOrder(records: Database, order: RecomputeOrder): Promise<void> {
  await writeSetting(records, ORDER, order);
}

/** What has come of an order; undefined before it is begun. */
export async function stateOf(records: Database, id: string): Promise<RecomputeState | undefined> {
  const state = await readSetting<RecomputeState>(records, STATE);
  return state?.id === id ? state : undefined;
}

/**
 * Serves the order that there is. It is taken off the table when it is done, so that a service that was stopped begins
 * it anew: what is right already is not written again.
 */
export async function serveOrder(
  options: Omit<RecomputeOptions, "since" | "model" | "dryRun" | "onProgress" | "learnt"> & {
    readonly learnt: LearntTables;
    readonly writer: () => Promise<Store>;
  },
): Promise<void> {
  const { reader, writer, learnt } = options;
  const order = await readSetting<RecomputeOrder>(reader.records, ORDER);
  if (order === undefined) return;
  const { id, since, dryRun } = order;
  const { records } = await writer();
  let last: Progress = { seen: 0, changed: 0, before: 0, after: 0, total: 0 };
  let toldAt = 0;
  const tell = (state: Partial<RecomputeState>) => writeSetting(records, STATE, { id, done: false, ...last, ...state });
  try {
    await tell({});
    await learnt.load(reader.records);
    const onProgress = (progress: Progress) => {
      last = progress;
      if (Date.now() - toldAt < TOLD_MS) return;
      toldAt = Date.now();
      void tell({}).catch(() => {}); // it is told again at the end
    };
    last = await recomputeCosts({ ...options, since, model: order.model ?? undefined, dryRun, onProgress });
    await tell({ done: true });
  } catch (error) {
    await tell({ done: true, failed: messageOf(error) });
    throw error;
  } finally {
    await removeSetting(records, ORDER, order);
  }
}

/** A job's order or state, which the command line and the service share. */
export async function readSetting<T>(records: Database, name: string): Promise<T | undefined> {
  const rows = await records.query<{ value: string }>({
    sql: "select value from settings where name = ?",
    args: [name],
  });
  return rows[0] === undefined ? undefined : (JSON.parse(rows[0].value) as T);
}

export async function writeSetting(records: Database, name: string, value: object): Promise<void> {
  const sql =
    "insert into settings (name, value) values (?, ?) on conflict (name) do update set value = excluded.value";
  await patiently(() => records.batch([{ sql, args: [name, JSON.stringify(value)] }]));
}

/** Another order that came meanwhile stays. */
export async function removeSetting(records: Database, name: string, value: object): Promise<void> {
  const sql = "delete from settings where name = ? and value = ?";
  await patiently(() => records.batch([{ sql, args: [name, JSON.stringify(value)] }]));
}
