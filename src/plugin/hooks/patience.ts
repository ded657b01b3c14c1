import { threadCpuUsage } from "node:process";
import { CutOff, guarded } from "./guard.ts";

/** A call that was cut off was busy if it had this part of its time on the processor; else it may have waited for its turn. */
const BUSY_PART = 0.1;
/** Three busy calls in a row that were cut off are enough, or 15 of any kind. */
const BUSY_WEIGHT = 5;
const CUTS_MAX = 15;
const SWITCHED_OFF_MS = 60_000;

/** How long one foreign function is put up with: what blocks the thread again and again is left alone for a while. */
export class Patience {
  /** Calls in a row that were cut off, by their weight. */
  #cuts = 0;
  #offUntilMs = 0;

  get isOver(): boolean {
    return this.#offUntilMs > 0 && performance.now() < this.#offUntilMs;
  }

  /** Calls the function as `guarded` does. @throws CutOff, or what `call` threw. */
  call<I, R>(call: (input: I) => R, input: I, milliseconds: number): R {
    // Costs as much as the rest of this, so it is asked for only where it may decide: not of the first that is cut off.
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
}

/** Processor time of the calling thread. */
function threadMs(): number {
  const { user, system } = threadCpuUsage();
  return (user + system) / 1_000;
}
