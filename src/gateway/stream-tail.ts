import { isWholeStream } from "../spool/last-event.ts";

/** The last two chunks of a stream, to inspect it if its client leaves. */
export class StreamTail {
  #before: Uint8Array | undefined;
  #last: Uint8Array | undefined;

  add(bytes: Uint8Array): void {
    this.#before = this.#last;
    this.#last = bytes;
  }

  /** Whether they hold the stream's last event: some clients do not wait for the end of the body. */
  get isWhole(): boolean {
    if (this.#last === undefined) return false;
    return isWholeStream(this.#before === undefined ? [this.#last] : [this.#before, this.#last]);
  }
}
