import type { Config } from "../../config.ts";
import type { Log } from "../../log.ts";
import { packsHere } from "../../store/objects/moving.ts";
import { areObjectsOrdered, noteObjects } from "../../store/retention/objects-order.ts";
import type { Store } from "../../store/store.ts";
import type { Maintenance } from "../../threads.ts";
import { inQueue, Queue } from "../queue.ts";
import { nowAndThen } from "./now-and-then.ts";
import { Pace } from "./pace.ts";

const LOOK_MS = 1_000;
const TELL_MS = 10_000;
const STEP_PAGES = 500;

interface ToObjectsOptions {
  readonly config: Config;
  readonly log: Log;
  readonly reader: Store;
  readonly writer: () => Promise<Store>;
  readonly maintain: (task: Maintenance) => Promise<number>;
  /** Whether this node runs the jobs. */
  readonly isMine: () => boolean;
}

/** Moves bodies from the database into the object store on request, in small steps while traffic continues. */
export function startToObjects(options: ToObjectsOptions): { stop(): Promise<void> } {
  const { config, log, reader, writer, maintain, isMine } = options;
  const queue = new Queue();
  const inTurn = inQueue(queue, log);
  const pace = new Pace();
  const run = async () => {
    let reportedAt = performance.now();
    const isDone = await moveToObjects(maintain, pace, async () => {
      if (performance.now() - reportedAt < TELL_MS) return;
      reportedAt = performance.now();
      log.info("bodies are moved into the object store", { packs_left: await packsHere(reader.bodies) });
    });
    if (!isDone) return;
    await noteObjects((await writer()).records);
    log.info("all bodies are in the object store");
  };
  return nowAndThen({ queue, pace }, LOOK_MS, async () => {
    if (config.bodies_engine !== "s3" || !isMine()) return;
    if (await areObjectsOrdered(reader.records).catch(() => false)) await inTurn(run);
  });
}

/** Works in steps: first bodies of versions without packs. @returns whether everything is moved. */
export async function moveToObjects(
  maintain: ToObjectsOptions["maintain"],
  pace: Pace,
  onStep: () => Promise<void>,
): Promise<boolean> {
  for (const kind of ["move", "objects"] as const) {
    while (!pace.stopped && (await pace.step(() => maintain({ kind }))) > 0) await onStep();
  }
  while (!pace.stopped && (await pace.step(() => maintain({ kind: "compact", pages: STEP_PAGES }))) > 0);
  return !pace.stopped;
}
