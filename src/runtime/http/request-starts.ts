/** Maximum requests begun in one turn of the event loop. */
const BEGUN_A_TURN = 64;

/** A connection on which a request arrives, or waits behind another. */
export interface RequestStart {
  /** Called once, in a later turn, if the request was not admitted immediately. */
  begin(): void;
}

/**
 * Begins requests that arrive by the thousands a few per turn. Otherwise the event loop takes each step for all of them
 * before the next step of any, and the first response waits for the last request.
 */
export class RequestStarts {
  #waiting: RequestStart[] = [];
  /** Begun in this turn. */
  #begun = 0;
  readonly #onTurn = (): void => this.#nextTurn();

  /** @returns whether it may begin now. */
  admit(request: RequestStart): boolean {
    if (this.#begun === 0) setImmediate(this.#onTurn);
    if (this.#begun < BEGUN_A_TURN) {
      this.#begun++;
      return true;
    }
    this.#waiting.push(request);
    return false;
  }

  #nextTurn(): void {
    const due = this.#waiting.splice(0, BEGUN_A_TURN);
    this.#begun = due.length;
    if (due.length === 0) return;
    setImmediate(this.#onTurn);
    try {
      for (let request = due.shift(); request !== undefined; request = due.shift()) request.begin();
    } finally {
      this.#waiting.unshift(...due); // some are left if one has thrown
    }
  }
}
