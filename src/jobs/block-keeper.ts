import { setTimeout as sleep } from "node:timers/promises";
import { makeNextBlock } from "../engine/libsql/blocks/keep.ts";
import { WAITING_MAX, withoutBlock } from "../engine/libsql/blocks/waiting.ts";
import { type Log, messageOf } from "../observe.ts";
import { isAway } from "../store/database/failure.ts";
import type { Store } from "../store/store.ts";

/** Time between two looks for records that no block holds. */
const LOOK_MS = 2_000;
/** So long others have the processor and the database between two blocks. */
const PAUSE_MS = 20;
/** After a failure. */
const RETRY_MS = 5_000;
/** Progress is told at most so often. */
const TOLD_MS = 5_000;

/**
 * Records that arrive between two looks from which on blocks wait, so that a burst has the processor to itself, but no
 * more than `WAITING_MAX`: figures read those as records, some milliseconds for each ten thousand.
 */
const BURST_RECORDS = 2_000;

interface BlockKeeperOptions {
  readonly writer: () => Promise<Store>;
  readonly log: Log;
  /** Whether this program is the one that does the jobs. */
  readonly isMine: () => boolean;
}

/**
 * Makes blocks of the records that have none, in the background; figures are right without them, but slower. After the
 * start on a database of an earlier version that takes some 10 seconds for a million records, the newest first, and the log
 * tells how far it is.
 */
export class BlockKeeper {
  readonly #options: BlockKeeperOptions;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #failed: string | undefined;
  /** Records without a block at the end of the last look. */
  #waiting = 0;

  constructor(options: BlockKeeperOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** Resolves when the block that is being made is there. */
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
        this.#tell(error);
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
    let told = started;
    for (let made = 0; !this.#stopping.signal.aborted; made++) {
      if ((await makeNextBlock(store)) === undefined) {
        if (told > started) log.info("blocks for figures are complete", { blocks: made });
        return;
      }
      if (performance.now() - told > TOLD_MS) {
        told = performance.now();
        log.info("making blocks for figures", { blocks: made, records_left: await withoutBlock(store) });
      }
      await sleep(PAUSE_MS);
    }
  }

  /** What lasts is said once, and a database that is away is the recorder's to tell of. */
  #tell(error: unknown): void {
    const message = messageOf(error);
    if (this.#failed === message) return;
    this.#failed = message;
    this.#options.log[isAway(error) ? "debug" : "warn"]("a block could not be made; it is tried again", {
      error: message,
    });
  }
}
