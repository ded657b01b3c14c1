import type { SpoolWriter } from "../spool/frame.ts";

/** A complete response. */
export interface Departing {
  /**
   * Records its end in the spool.
   *
   * @param nowMs - of `performance.now()`, one reading for all that end in a turn.
   * @returns false if it has ended in another way in the meantime.
   */
  finish(nowMs: number): boolean;
  /** Writes the rest of it to the client's socket. Only once its end is in the page cache. */
  depart(): void;
}

/**
 * Sends responses at the end of the event loop's turn, after a single write to the spool for all of them: under load a dozen
 * responses complete in one turn, and a write for each took longer than sending it.
 */
export class Departures {
  readonly #spool: Pick<SpoolWriter, "atTurnEnd" | "flush">;
  #waiting: Departing[] = [];

  constructor(spool: Pick<SpoolWriter, "atTurnEnd" | "flush">) {
    this.#spool = spool;
  }

  add(response: Departing): void {
    if (this.#waiting.push(response) === 1) this.#spool.atTurnEnd(() => this.#leave());
  }

  #leave(): void {
    const nowMs = performance.now();
    const sealed = this.#waiting.filter((response) => response.finish(nowMs));
    this.#waiting = [];
    this.#spool.flush();
    if (sealed.length > 0) queueMicrotask(() => departAll(sealed));
  }
}

/** An error in one does not affect the others. */
function departAll(responses: readonly Departing[]): void {
  for (const response of responses) {
    try {
      response.depart();
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}
