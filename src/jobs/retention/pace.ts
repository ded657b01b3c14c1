import { setTimeout as sleep } from "node:timers/promises";

/** Pause after a step: as long as the step's work took, without its waiting time, within these limits. */
const PAUSE_MS_MIN = 10;
const PAUSE_MS_MAX = 100;

/** Works in steps, with pauses for other work. */
export class Pace {
  #stopped = false;

  get stopped(): boolean {
    return this.#stopped;
  }

  stop(): void {
    this.#stopped = true;
  }

  async step<T>(work: () => Promise<T>): Promise<T> {
    const startedMs = performance.now();
    const result = await work();
    const pauseMs = Math.min(Math.max(performance.now() - startedMs, PAUSE_MS_MIN), PAUSE_MS_MAX);
    await sleep(this.#stopped ? 0 : pauseMs);
    return result;
  }

  /** Processes a list in parts, one part per step, until stopped. */
  async each<T>(list: readonly T[], most: number, work: (part: readonly T[]) => Promise<void>): Promise<void> {
    for (let at = 0; at < list.length && !this.#stopped; at += most)
      await this.step(() => work(list.slice(at, at + most)));
  }
}
