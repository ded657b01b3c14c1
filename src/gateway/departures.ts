import type { SpoolWriter } from "../spool/frame.ts";

/** A response that is whole. */
export interface Departing {
  /** Notes its end in the spool. @returns false where it has ended otherwise meanwhile. */
  finish(): boolean;
  /** Hands what is left of it to the client's socket. Only once its end is in the page cache. */
  depart(): void;
}

/**
 * Lets answers leave at the end of the event loop's turn, those of a turn behind one write to the spool: under load a
 * dozen answers become whole in one turn, and a write for each took longer than sending it.
 */
export class Departures {
  readonly #spool: Pick<SpoolWriter, "atTurnEnd" | "flush">;
  #waiting: Departing[] = [];

  constructor(spool: Pick<SpoolWriter, "atTurnEnd" | "flush">) {
    this.#spool = spool;
  }

  add(answer: Departing): void {
    if (this.#waiting.push(answer) === 1) this.#spool.atTurnEnd(() => this.#leave());
  }

  #leave(): void {
    const sealed = this.#waiting.filter((answer) => answer.finish());
    this.#waiting = [];
    this.#spool.flush();
    // An error of one is none of the others'.
    for (const answer of sealed) queueMicrotask(() => answer.depart());
  }
}
