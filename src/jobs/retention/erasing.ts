import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../../log.ts";
import { listSegments } from "../../spool/segments.ts";
import { ChangeGate } from "../../store/database/change-gate.ts";
import { erasureOrder, noteErased, packsToErase } from "../../store/retention/erasure.ts";
import type { Store } from "../../store/store.ts";
import type { Maintenance, RecorderStatus } from "../../threads.ts";
import { inQueue, Queue } from "../queue.ts";
import { nowAndThen } from "./now-and-then.ts";
import { Pace } from "./pace.ts";

/** Interval of erasing removed data from the disk, without the time for the work. */
const ERASE_MS = 600_000;
const LOOK_MS = 1_000;
/** How long to wait until the recorder has read and deleted a segment, and for requests in flight. */
const LEAVE_MS = 60_000;
const NEEDED_MS = 3_000;
const LEAVE_LOOK_MS = 100;

interface ErasingOptions {
  readonly log: Log;
  readonly reader: Store;
  readonly writer: () => Promise<Store>;
  readonly maintain: (task: Maintenance) => Promise<number>;
  /** Starts the next segment of the spool. @returns its number. */
  readonly leaveSegment: () => Promise<number>;
  readonly recorderStatus: () => Promise<RecorderStatus>;
  readonly spoolDirectory: string;
}

/** Erases the bytes of removed data: every ten minutes, and within a second of an order. Every node erases its own packs. */
export function startErasing(options: ErasingOptions): { stop(): Promise<void> } {
  const { log, reader, writer, maintain } = options;
  const queue = new Queue();
  const inTurn = inQueue(queue, log);
  const pace = new Pace();
  const run = (ordered: string | undefined) =>
    inTurn(async () => {
      const isDue = (await packsToErase(reader.bodies)) > 0;
      await erase(maintain, pace, ordered !== undefined);
      // Deleted data may be in the newest segment, which is otherwise kept until it is full.
      const journal = isDue || ordered !== undefined ? await leftSegments(options, pace) : true;
      if (ordered !== undefined && !pace.stopped)
        await noteErased((await writer()).records, { order: ordered, journal });
    });
  let order: string | undefined;
  let erasedAt = performance.now();
  const gate = new ChangeGate([reader.records]);
  return nowAndThen({ queue, pace }, LOOK_MS, async () => {
    const isDue = performance.now() - erasedAt >= ERASE_MS;
    if (!(await gate.isOpen()) && !isDue) return;
    const now = await erasureOrder(reader.records).catch(() => order); // an order waits for the database
    if (now === order && !isDue) return;
    erasedAt = performance.now();
    const ordered = now === order ? undefined : now;
    order = now;
    await run(ordered);
  });
}

/** Step by step, until nothing is left. */
export async function erase(maintain: ErasingOptions["maintain"], pace: Pace, isOrdered: boolean): Promise<void> {
  while (!pace.stopped && (await pace.step(() => maintain({ kind: "erase", isOrdered }))) > 0);
}

/** Waits until the segments before the next one are deleted. @returns false if a request in flight needs one. */
async function leftSegments(options: ErasingOptions, pace: Pace): Promise<boolean> {
  const { leaveSegment, recorderStatus, spoolDirectory } = options;
  const newest = await leaveSegment();
  const startedAt = performance.now();
  for (let readAt: number | undefined; ; await sleep(LEAVE_LOOK_MS)) {
    if (listSegments(spoolDirectory).every((segment) => segment >= newest)) return true;
    const now = performance.now();
    if (pace.stopped || now - startedAt > LEAVE_MS) return false;
    const { position, inFlight } = await recorderStatus();
    const isNeeded = position.segment >= newest && inFlight > 0;
    readAt = isNeeded ? (readAt ?? now) : undefined;
    if (readAt !== undefined && now - readAt > NEEDED_MS) return false;
  }
}
