import type { Log } from "../../log.ts";
import { leftToMove } from "../../store/retention/move.ts";
import type { Store } from "../../store/store.ts";
import type { Maintenance } from "../../threads.ts";
import { inQueue, Queue } from "../queue.ts";
import { nowAndThen } from "./now-and-then.ts";
import { Pace } from "./pace.ts";

const TRY_MS = 30_000;
const TELL_MS = 10_000;
const STEP_PAGES = 500;

interface MovingOptions {
  readonly log: Log;
  readonly reader: Store;
  readonly maintain: (task: Maintenance) => Promise<number>;
  /** Whether this node runs the jobs. */
  readonly isMine: () => boolean;
}

/**
 * Moves bodies of versions without packs into packs, in small steps while traffic continues, and releases the empty pages.
 * Costs nothing once everything is moved.
 */
export function startMoving({ log, reader, maintain, isMine }: MovingOptions): { stop(): Promise<void> } {
  const queue = new Queue();
  const inTurn = inQueue(queue, log);
  const pace = new Pace();
  let isDone = false;
  const move = async () => {
    let moved = 0;
    let reportedAt = performance.now();
    while (!pace.stopped) {
      const count = await pace.step(() => maintain({ kind: "move" }));
      moved += count;
      isDone = count === 0;
      if (isDone) break;
      if (performance.now() - reportedAt < TELL_MS) continue;
      reportedAt = performance.now();
      log.info("bodies are moved into packs", { moved, left: await leftToMove(reader.bodies) });
    }
    if (!isDone || moved === 0) return;
    while (!pace.stopped && (await pace.step(() => maintain({ kind: "compact", pages: STEP_PAGES }))) > 0);
    log.info(
      "all bodies are in packs; `weir compact`, with the service stopped, rewrites the files without free space",
      {
        moved,
      },
    );
  };
  return nowAndThen({ queue, pace }, TRY_MS, async () => {
    if (!isDone && isMine()) await inTurn(move);
  });
}
