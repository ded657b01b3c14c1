import type { ByteSocket } from "./sockets.ts";

const BUFFER_BYTES = 256 * 1_024;

/** One socket's bytes in the buffer. */
interface Waiting {
  readonly socket: ByteSocket;
  readonly from: number;
  readonly bytes: number;
}

/**
 * Writes of one turn of the event loop, made together at its end. A write to a socket runs some 10 µs of the system's code,
 * which drives this program's own out of the CPU's caches, and wakes the other side each time: between the steps of a dozen
 * requests that costs more than the writes themselves.
 */
export class TurnWrites {
  readonly #atTurnEnd: (work: () => void) => void;
  /** Reused for every turn. */
  readonly #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  #used = 0;
  #waiting: Waiting[] = [];

  /** @param atTurnEnd - calls `work` at the end of this turn. */
  constructor(atTurnEnd: (work: () => void) => void) {
    this.#atTurnEnd = atTurnEnd;
  }

  /**
   * Adds text and bytes, which are copied, for a socket that nothing else is written to in this turn. The text is Latin-1.
   *
   * @returns false if it must be written immediately: the buffer has no room for it.
   */
  add(socket: ByteSocket, before: string, bytes: Uint8Array): boolean {
    const length = before.length + bytes.byteLength;
    if (this.#used + length > BUFFER_BYTES) return false;
    const from = this.#used;
    this.#buffer.write(before, from, "latin1");
    if (bytes.byteLength > 0) this.#buffer.set(bytes, from + before.length);
    this.#used += length;
    if (this.#waiting.push({ socket, from, bytes: length }) === 1) this.#atTurnEnd(this.#write);
    return true;
  }

  readonly #write = (): void => {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { socket, from, bytes } of waiting) {
      if (socket.writeCopied !== undefined) socket.writeCopied(this.#buffer, from, bytes);
      else socket.write(Buffer.copyBytesFrom(this.#buffer, from, bytes));
    }
    // Credentials of a long turn must not stay until the next one as long.
    this.#buffer.fill(0, 0, this.#used);
    this.#used = 0;
  };
}
