import type { Log } from "../../observe.ts";
import { erasureOrder } from "../../store/retention/erasure.ts";
import type { Store } from "../../store/store.ts";
import type { Maintenance } from "../../threads.ts";
import { inQueue, Queue } from "../queue.ts";
import { Pace } from "./pace.ts";

/** What is removed is gone from the disk after so long, and some time for the work. */
const ERASE_MS = 600_000;
const LOOK_MS = 1_000;

interface ErasingOptions {
  readonly log: Log;
  readonly reader: Store;
  readonly maintain: (task: Maintenance) => Promise<number>;
}

/**
 * Takes the bytes of what was removed out of the store: every ten minutes, and within a second of somebody asking for it.
 * Every node does it, for its own packs.
 */
export function startErasing({ log, reader, maintain }: ErasingOptions): { stop(): Promise<void> } {
  const queue = new Queue();
  const inTurn = inQueue(queue, log);
  const pace = new Pace();
  const run = () => inTurn(() => erase(maintain, pace));
  let order: string | undefined;
  let erasedAt = performance.now();
  let looking = false;
  const look = async () => {
    if (looking) return;
    looking = true;
    const now = await erasureOrder(reader.records).catch(() => order); // an order waits for the database
    const isDue = performance.now() - erasedAt >= ERASE_MS;
    if (now !== order || isDue) {
      erasedAt = performance.now();
      order = now;
      await run();
    }
    looking = false;
  };
  const timer = setInterval(() => void look(), LOOK_MS);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      pace.stop();
      await queue.idle();
    },
  };
}

/** Step by step, until nothing is left. */
export async function erase(maintain: ErasingOptions["maintain"], pace: Pace): Promise<void> {
  while (!pace.stopped && (await pace.step(() => maintain({ kind: "erase" }))) > 0);
}
