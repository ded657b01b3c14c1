import { setTimeout as sleep } from "node:timers/promises";
import { counted } from "../counted.ts";
import { engineSink } from "../engine/writer.ts";
import { Pace } from "../jobs/retention/pace.ts";
import { moveToObjects } from "../jobs/retention/to-objects.ts";
import { lockDirectory } from "../store/database/lock.ts";
import { packsHere } from "../store/objects/moving.ts";
import { leftToMove } from "../store/retention/move.ts";
import { areObjectsOrdered, noteObjects, orderObjects } from "../store/retention/objects-order.ts";
import type { Store } from "../store/store.ts";
import type { Run } from "./command.ts";
import { regionConfig } from "./region.ts";
import { CommandError } from "./usage-error.ts";
import { withStore } from "./with-store.ts";

const LOOK_MS = 500;
const TELL_MS = 2_000;

/** A running service migrates; without one this command does. After an interruption it continues where it stopped. */
export const migrateBodiesCommand: Run = async (invocation) => {
  const config = regionConfig(invocation);
  if (config.bodies_engine !== "s3") {
    throw new CommandError("bodies_engine is not s3: there is no object store to move bodies to");
  }
  await withStore(config, async (store) => {
    const report = progress(store, invocation.terminal.err);
    const lock = lockDirectory(config.data_dir);
    if (lock === undefined) {
      await orderObjects(store.records);
      while (await areObjectsOrdered(store.records)) {
        await report();
        await sleep(LOOK_MS);
      }
      return;
    }
    try {
      const sink = engineSink({ store, config });
      await moveToObjects((task) => sink.maintain(task), new Pace(), report);
      await noteObjects(store.records);
    } finally {
      lock.release();
    }
  });
  invocation.terminal.err("all bodies are in the object store\n");
  return 0;
};

/** Prints how much remains from time to time. */
function progress({ bodies }: Store, print: (text: string) => void): () => Promise<void> {
  let reportedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - reportedAt < TELL_MS) return;
    reportedAt = performance.now();
    const [packs, requests] = [await packsHere(bodies), await leftToMove(bodies)];
    const older = requests === 0 ? "" : `, ${counted(requests, "request")} of an earlier version`;
    print(`${counted(packs, "pack")} left${older}\n`);
  };
}
