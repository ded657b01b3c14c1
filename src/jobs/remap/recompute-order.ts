import { messageOf } from "../../log.ts";
import type { LearntTables } from "../../store/models/learnt.ts";
import {
  ORDER,
  type Progress,
  type RecomputeOrder,
  type RecomputeState,
  readOrder,
  removeOrder,
  STATE,
  writeOrder,
} from "../../store/models/recompute-order.ts";
import type { Store } from "../../store/store.ts";
import { type RecomputeOptions, recomputeCosts } from "./recompute.ts";

/** The caller polls at most twice a second. */
const REPORT_MS = 500;

/**
 * Processes the current order. It is removed from the table when done, so that a stopped service resumes it; records that
 * are already correct are not rewritten.
 */
export async function serveOrder(
  options: Omit<RecomputeOptions, "since" | "model" | "dryRun" | "onProgress" | "learnt"> & {
    readonly learnt: LearntTables;
    readonly writer: () => Promise<Store>;
  },
): Promise<void> {
  const { reader, writer, learnt } = options;
  const order = await readOrder<RecomputeOrder>(reader.records, ORDER);
  if (order === undefined) return;
  const { id, since, dryRun } = order;
  const { records } = await writer();
  let last: Progress = { seen: 0, changed: 0, before: 0, after: 0, total: 0 };
  let reportedAt = 0;
  const report = (state: Partial<RecomputeState>) => writeOrder(records, STATE, { id, done: false, ...last, ...state });
  try {
    await report({});
    await learnt.load(reader.records);
    const onProgress = (progress: Progress) => {
      last = progress;
      if (Date.now() - reportedAt < REPORT_MS) return;
      reportedAt = Date.now();
      void report({}).catch(() => {}); // the progress is written again at the end
    };
    last = await recomputeCosts({ ...options, since, model: order.model ?? undefined, dryRun, onProgress });
    await report({ done: true });
  } catch (error) {
    await report({ done: true, failed: messageOf(error) });
    throw error;
  } finally {
    await removeOrder(records, ORDER, order);
  }
}
