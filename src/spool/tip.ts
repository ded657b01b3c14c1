import type { Position } from "./frame.ts";

/** How long a writer sleeps at most before it looks at the lock again; it is woken when the lock is free. */
const LOOK_AGAIN_MS = 10;
const FREE = 0;
const HEAD_BYTES = 8;

/**
 * Where the next frame of a spool goes. The threads that write into one spool share it: they take turns, so that frames
 * never mix and the journal stays one, for all writers.
 */
export class Tip implements Position {
  /** Handed to the other threads. */
  readonly memory: SharedArrayBuffer;
  readonly #lock: Int32Array;
  readonly #place: Float64Array;
  /** What the lock holds while this thread has it. */
  readonly #writer: number;

  /** @param writer - tells this writer from others of the run, from 1. */
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

  /** End of the last whole frame: the file is never left longer than this. */
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

  /** Does `work` while no other thread is in its own. Blocks this thread as long as a write of another one takes. */
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

  /** Opens the lock where this writer has it: its own thread does, or another one when that has died. */
  release(writer: number): void {
    if (Atomics.compareExchange(this.#lock, 0, writer, FREE) === writer) Atomics.notify(this.#lock, 0, 1);
  }
}
