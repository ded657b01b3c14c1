import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../../config.ts";
import type { Log } from "../../log.ts";
import { removeOldEntries } from "../../store/audit/remove-old.ts";
import type { Store } from "../../store/store.ts";
import { inQueue, Queue } from "../queue.ts";
import { nowAndThen } from "./now-and-then.ts";
import { Pace } from "./pace.ts";

const LOOK_MS = 3_600_000;
const STEP_PAUSE_MS = 50;

interface AuditAgesOptions {
  readonly config: Config;
  readonly log: Log;
  readonly writer: () => Promise<Store>;
  /** Whether this node runs the jobs. */
  readonly isMine: () => boolean;
}

/** Removes entries of the audit log that are older than `audit_days`, once an hour. */
export function startAuditAges({ config, log, writer, isMine }: AuditAgesOptions): { stop(): Promise<void> } {
  const queue = new Queue();
  const inTurn = inQueue(queue, log);
  const remove = async () => {
    const { records } = await writer();
    const removed = await removeOldEntries(records, config.audit_days, Date.now(), () => sleep(STEP_PAUSE_MS));
    if (removed > 0) log.info("old entries of the audit log are removed", { removed });
  };
  return nowAndThen({ queue, pace: new Pace() }, LOOK_MS, async () => {
    if (isMine()) await inTurn(remove);
  });
}
