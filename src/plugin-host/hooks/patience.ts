import { threadCpuUsage } from "node:process";
import { CutOff, guarded } from "./guard.ts";

/** A cut-off call counts as busy if it spent this share of its time on the CPU; otherwise it may have waited for CPU. */
const BUSY_PART = 0.1;
/** Three consecutive busy cut-off calls switch the function off, or 15 of any kind. */
const BUSY_WEIGHT = 5;
const CUTS_MAX = 15;
const SWITCHED_OFF_MS = 60_000;
/** A repeated call has up to this many times its limit, and has had its time once it spent this share of the limit on the CPU. */
const TIMES_MAX = 8;
const SPENT_PART = 0.5;

/** Switches off a foreign function for a while if it repeatedly blocks the thread. */
export class Patience {
  /** Consecutive cut-off calls, by their weight. */
  #cuts = 0;
  #offUntilMs = 0;

  get isOver(): boolean {
    return this.#offUntilMs > 0 && performance.now() < this.#offUntilMs;
  }

  /** Calls the function like `guarded`. @throws CutOff, or the error of `call`. */
  call<I, R>(call: (input: I) => R, input: I, milliseconds: number): R {
    // Reading the CPU time costs as much as the rest, so it is read only if it may decide: not for the first cut-off call.
    const startedMs = this.#cuts === 0 ? Number.NEGATIVE_INFINITY : threadMs();
    try {
      const result = guarded(call, input, milliseconds);
      this.#cuts = 0;
      return result;
    } catch (error) {
      if (error instanceof CutOff) this.#cuts += threadMs() - startedMs < milliseconds * BUSY_PART ? 1 : BUSY_WEIGHT;
      else this.#cuts = 0;
      if (this.#cuts >= CUTS_MAX) this.#offUntilMs = performance.now() + SWITCHED_OFF_MS;
      throw error;
    }
  }

  /**
   * `call` for a function that may be called again: the limit is wall-clock time, within which a thread of low priority on a
   * busy machine may hardly have run. A call that was cut off without its time on the CPU is made again with twice the limit.
   *
   * @param undo - undoes what the cut-off call has done. @throws CutOff, or the error of `call`.
   */
  repeat<I, R>(call: (input: I) => R, input: I, milliseconds: number, undo: () => void = () => {}): R {
    for (let times = 1; ; times *= 2) {
      const startedMs = threadMs();
      try {
        return this.call(call, input, milliseconds * times);
      } catch (error) {
        const hadItsTime = threadMs() - startedMs >= milliseconds * SPENT_PART;
        if (!(error instanceof CutOff) || hadItsTime || this.isOver || times >= TIMES_MAX) throw error;
        undo();
      }
    }
  }
}

/** CPU time of the calling thread. */
function threadMs(): number {
  const { user, system } = threadCpuUsage();
  return (user + system) / 1_000;
}
