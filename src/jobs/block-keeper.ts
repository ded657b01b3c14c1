import { setTimeout as sleep } from "node:timers/promises";
import { makeNextBlock } from "../engine/libsql/column-store/keep.ts";
import { WAITING_MAX, withoutBlock } from "../engine/libsql/column-store/waiting.ts";
import { type Log, messageOf } from "../log.ts";
import { isAway } from "../store/database/failure.ts";
import type { Store } from "../store/store.ts";

/** Time between two searches for records without a block. */
const LOOK_MS = 2_000;
/** Pause between two blocks, for other users of the CPU and the database. */
const PAUSE_MS = 20;
/** Pause after a failure. */
const RETRY_MS = 5_000;
/** Minimum time between two progress messages. */
const REPORT_MS = 5_000;

/**
 * Number of new records between two searches that postpones blocks, so that a burst has the CPU to itself; at most
 * `WAITING_MAX` records wait, because aggregates read those as records, which takes some milliseconds per ten thousand.
 */
const BURST_RECORDS = 2_000;

interface BlockKeeperOptions {
  readonly writer: () => Promise<Store>;
  readonly log: Log;
  /** Whether this node runs the jobs. */
  readonly isMine: () => boolean;
}

/**
 * Builds blocks for records without one, in the background; aggregates are correct without them, but slower. On the first
 * start with a database of an earlier version this takes about 10 seconds per million records, newest first, and the log
 * reports the progress.
 */
export class BlockKeeper {
  readonly #options: BlockKeeperOptions;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #failed: string | undefined;
  /** Records without a block after the last search. */
  #waiting = 0;

  constructor(options: BlockKeeperOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** Resolves when the current block is complete. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    for (let pause = LOOK_MS; !signal.aborted; ) {
      await sleep(pause, undefined, { signal, ref: false }).catch(() => {}); // waiting ends early when stopped
      if (signal.aborted) return;
      try {
        if (this.#options.isMine()) await this.#look(await this.#options.writer());
        this.#failed = undefined;
        pause = LOOK_MS;
      } catch (error) {
        this.#logFailure(error);
        pause = RETRY_MS;
      }
    }
  }

  async #look(store: Store): Promise<void> {
    const waiting = await withoutBlock(store);
    const isBurst = waiting - this.#waiting > BURST_RECORDS && waiting < WAITING_MAX;
    this.#waiting = waiting;
    if (isBurst) return;
    await this.#makeAll(store);
    this.#waiting = await withoutBlock(store);
  }

  async #makeAll(store: Store): Promise<void> {
    const { log } = this.#options;
    const started = performance.now();
    let reportedAt = started;
    for (let made = 0; !this.#stopping.signal.aborted; made++) {
      if ((await makeNextBlock(store)) === undefined) {
        if (reportedAt > started) log.info("blocks for metrics are complete", { blocks: made });
        return;
      }
      if (performance.now() - reportedAt > REPORT_MS) {
        reportedAt = performance.now();
        log.info("building blocks for metrics", { blocks: made, records_left: await withoutBlock(store) });
      }
      await sleep(PAUSE_MS);
    }
  }

  /** A lasting failure is logged once; the recorder reports an unreachable database. */
  #logFailure(error: unknown): void {
    const message = messageOf(error);
    if (this.#failed === message) return;
    this.#failed = message;
    this.#options.log[isAway(error) ? "debug" : "warn"]("a block could not be built; this will be retried", {
      error: message,
    });
  }
}
