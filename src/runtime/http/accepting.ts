import type { ByteSocket } from "./sockets.ts";

/** Maximum connections begun in one turn of the event loop. */
const BEGUN_A_TURN = 64;

/**
 * Begins connections that arrive by the thousands a few per turn. Otherwise the event loop takes each step for all of them
 * before the next step of any, and the first response waits for the last request.
 */
export class Accepting {
  readonly #begin: (socket: ByteSocket) => void;
  #waiting: ByteSocket[] = [];
  /** Begun in this turn. */
  #begun = 0;

  constructor(begin: (socket: ByteSocket) => void) {
    this.#begin = begin;
  }

  take(socket: ByteSocket): void {
    if (this.#begun === 0) setImmediate(() => this.#nextTurn());
    if (this.#begun < BEGUN_A_TURN) {
      this.#begun++;
      this.#begin(socket);
      return;
    }
    socket.pause();
    socket.on("error", () => socket.destroy()); // its client may leave before any other listener exists
    this.#waiting.push(socket);
  }

  /** Destroys those that have not begun. */
  destroyWaiting(): void {
    for (const socket of this.#waiting) socket.destroy();
  }

  #nextTurn(): void {
    const due = this.#waiting.splice(0, BEGUN_A_TURN);
    this.#begun = due.length;
    if (due.length === 0) return;
    setImmediate(() => this.#nextTurn());
    for (const socket of due) {
      if (socket.destroyed) continue;
      this.#begin(socket);
      socket.resume();
    }
  }
}
