import { join } from "node:path";
import { Cron } from "croner";
import type { Remote } from "../../runtime/rpc.ts";
import { ChangeGate } from "../../store/database/change-gate.ts";
import type { RecorderFunctions } from "../../threads.ts";
import { CRON, inQueue, Queue } from "../queue.ts";
import { startAuditAges } from "./audit-ages.ts";
import { startCounting } from "./counting.ts";
import { startErasing } from "./erasing.ts";
import { startMoving } from "./moving.ts";
import { Retention, type RetentionOptions } from "./retention.ts";
import { startToObjects } from "./to-objects.ts";

const LOOK_MS = 1_000;

interface RemovalsOptions extends Omit<RetentionOptions, "remove" | "maintain"> {
  readonly recorder: Pick<Remote<RecorderFunctions>, "remove" | "maintain" | "status">;
  /** Whether this node runs the jobs. */
  readonly isMine: () => boolean;
  /** Starts the next segment of the spool. */
  readonly leaveSegment: () => Promise<number>;
}

/**
 * Runs retention on schedule, and within a second of an order; in its own queue, because a run may take hours. Removed data
 * is erased in parallel.
 */
export function startRemovals({ recorder, isMine, ...options }: RemovalsOptions): { stop(): Promise<void> } {
  const retention = new Retention({
    ...options,
    remove: (removal) => recorder.remove(removal),
    maintain: (task) => recorder.maintain(task),
  });
  const moving = startMoving({ ...options, isMine, maintain: (task) => recorder.maintain(task) });
  const erasing = startErasing({
    ...options,
    maintain: (task) => recorder.maintain(task),
    recorderStatus: () => recorder.status(),
    spoolDirectory: join(options.config.data_dir, "spool"),
  });
  const counting = startCounting({ ...options, isMine, maintain: (task) => recorder.maintain(task) });
  const auditAges = startAuditAges({ ...options, isMine });
  const toObjects = startToObjects({ ...options, isMine, maintain: (task) => recorder.maintain(task) });
  const queue = new Queue();
  const inTurn = inQueue(queue, options.log);
  const cron = new Cron(options.config.retention_cron, CRON, async () => {
    if (isMine()) await inTurn(() => retention.run());
  });
  const gate = new ChangeGate([options.reader.records]);
  let looking = false;
  const look = async () => {
    if (looking || !isMine() || !(await gate.isOpen())) return;
    looking = true;
    await inTurn(() => retention.runOrdered());
    looking = false;
  };
  const timer = setInterval(() => void look(), LOOK_MS);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      cron.stop();
      retention.stop();
      const steps = [erasing, moving, counting, auditAges, toObjects];
      await Promise.all([queue.idle(), ...steps.map((each) => each.stop())]);
    },
  };
}
