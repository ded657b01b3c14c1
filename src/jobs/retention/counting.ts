import type { Log } from "../../log.ts";
import type { Maintenance } from "../../threads.ts";
import { inQueue, Queue } from "../queue.ts";
import { nowAndThen } from "./now-and-then.ts";
import { Pace } from "./pace.ts";

const LOOK_MS = 30_000;
const TELL_MS = 10_000;

interface CountingOptions {
  readonly log: Log;
  readonly maintain: (task: Maintenance) => Promise<number>;
  /** Whether this node runs the jobs. */
  readonly isMine: () => boolean;
}

/** Keeps daily totals of stored sizes, in small steps; totals of an earlier version's records are computed once. */
export function startCounting({ log, maintain, isMine }: CountingOptions): { stop(): Promise<void> } {
  const queue = new Queue();
  const inTurn = inQueue(queue, log);
  const pace = new Pace();
  const count = async () => {
    let reportedAt = performance.now();
    for (let counted = 0; !pace.stopped; ) {
      const records = await pace.step(() => maintain({ kind: "count" }));
      if (records === 0) return;
      counted += records;
      if (performance.now() - reportedAt < TELL_MS) continue;
      reportedAt = performance.now();
      log.info("records are counted for the storage page", { counted });
    }
  };
  return nowAndThen({ queue, pace }, LOOK_MS, async () => {
    if (isMine()) await inTurn(count);
  });
}
