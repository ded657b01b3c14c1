import type { Position } from "./frame.ts";

/** Maximum wait before a writer checks the lock again; it is woken when the lock is free. */
const LOOK_AGAIN_MS = 10;
const FREE = 0;
const HEAD_BYTES = 8;

/**
 * The end of a spool, where the next frame goes. All threads that write into the spool share it: they take turns, so that
 * frames never interleave and there is a single journal.
 */
export class Tip implements Position {
  /** Passed to the other threads. */
  readonly memory: SharedArrayBuffer;
  readonly #lock: Int32Array;
  readonly #place: Float64Array;
  /** The lock's value while this thread holds it. */
  readonly #writer: number;

  /** @param writer - number of this writer within the run, from 1. */
  constructor(writer: number, memory = new SharedArrayBuffer(HEAD_BYTES + 2 * Float64Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#lock = new Int32Array(memory, 0, 1);
    this.#place = new Float64Array(memory, HEAD_BYTES, 2);
    this.#writer = writer;
  }

  /** 0 before there is one. */
  get segment(): number {
    return this.#place[0]!;
  }

  /** End of the last complete frame: the file is never left longer than this. */
  get offset(): number {
    return this.#place[1]!;
  }

  set offset(bytes: number) {
    this.#place[1] = bytes;
  }

  moveTo({ segment, offset }: Position): void {
    this.#place[0] = segment;
    this.#place[1] = offset;
  }

  /** Runs `work` under the lock. Blocks this thread as long as a write of another one takes. */
  exclusively<T>(work: () => T): T {
    for (;;) {
      const holder = Atomics.compareExchange(this.#lock, 0, FREE, this.#writer);
      if (holder === FREE) break;
      Atomics.wait(this.#lock, 0, holder, LOOK_AGAIN_MS);
    }
    try {
      return work();
    } finally {
      this.release(this.#writer);
    }
  }

  /** Releases the lock if this writer holds it; called by its own thread, or by another one after it has died. */
  release(writer: number): void {
    if (Atomics.compareExchange(this.#lock, 0, writer, FREE) === writer) Atomics.notify(this.#lock, 0, 1);
  }
}
