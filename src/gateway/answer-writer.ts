import type { Answer } from "../runtime/http/server.ts";
import { reasonOf } from "./refusal.ts";

/** Whose answer is written. */
interface WriterOwner {
  readonly ended: boolean;
  /** Puts what was recorded so far into the page cache: before the first byte that the client sees. */
  flushRecord(): void;
  /** The client takes less than comes; and then takes more again. */
  hold(): void;
  release(): void;
  /** Everything has come, and all but what `takeHeld` gives has left this process's memory. */
  onWhole(): void;
}

/** What may stand in a status line; anything else is replaced by the usual phrase. */
const SAFE_REASON = /^[\t\x20-\x7e\x80-\xff]*$/;

/** A response on its way to the client, chunk by chunk, no faster than the client takes it. */
export class AnswerWriter {
  readonly #answer: Answer;
  readonly #owner: WriterOwner;
  headSent = false;
  /** Whether bytes may go to the client: false while the spool is being forced to disk. */
  #isOpen = true;
  /** The last chunk, kept back until the end of this turn, so that a small response leaves in one write with its end. */
  #held: Uint8Array | undefined;
  #flushAsked = false;
  #endAsked = false;
  #waitsForDrain = false;
  /** Whether the client once took less than came. */
  #wasSlow = false;

  constructor(answer: Answer, owner: WriterOwner) {
    this.#answer = answer;
    this.#owner = owner;
  }

  /** Whether all has come, whatever the client has taken of it. */
  get endAsked(): boolean {
    return this.#endAsked;
  }

  /** Whether all that came so far has gone to the client's socket. */
  get isTaken(): boolean {
    return this.#held === undefined && !this.#waitsForDrain && this.#isOpen;
  }

  head(status: number, reason: string, headers: readonly string[]): void {
    this.headSent = true;
    this.#answer.head(status, SAFE_REASON.test(reason) ? reason : reasonOf(status), headers);
    this.#flushSoon();
  }

  /** The same once `synced` resolves; nothing goes to the client before. */
  headAfter(synced: Promise<void>, status: number, reason: string, headers: readonly string[]): void {
    this.#isOpen = false;
    this.#owner.hold();
    void synced.then(() => {
      if (this.#owner.ended) return;
      this.#isOpen = true;
      this.head(status, reason, headers);
      this.#owner.release();
      if (this.#endAsked) this.end();
    });
  }

  /** @param isLast - nothing comes behind it: it waits for the end, which the upstream reports at once. */
  data(bytes: Uint8Array, isLast: boolean): void {
    const held = this.#held;
    this.#held = bytes;
    if (held !== undefined) this.#write(held);
    if (!isLast) this.#flushSoon();
  }

  /** All has come. */
  end(): void {
    this.#endAsked = true;
    if (!this.#isOpen) return;
    // What a slow client has not taken yet is in our memory: the response is not whole before that has left.
    if (this.#wasSlow) this.#writeHeld();
    if (!this.#waitsForDrain) this.#owner.onWhole();
  }

  /** What is left to send with the end. */
  takeHeld(): Uint8Array | undefined {
    const held = this.#held;
    this.#held = undefined;
    return held;
  }

  /** What came so far leaves now. */
  flush(): void {
    if (this.#writeHeld()) return;
    this.#owner.flushRecord();
    this.#answer.flush();
  }

  /** Headers and early chunks leave at the end of this turn of the event loop, not when more has come. */
  #flushSoon(): void {
    if (this.#flushAsked || !this.#isOpen) return;
    this.#flushAsked = true;
    queueMicrotask(() => {
      this.#flushAsked = false;
      // A response that is whole already leaves as a whole.
      if (!this.#owner.ended && !this.#endAsked) this.flush();
    });
  }

  #writeHeld(): boolean {
    const held = this.takeHeld();
    if (held !== undefined) this.#write(held);
    return held !== undefined;
  }

  #write(bytes: Uint8Array): void {
    this.#owner.flushRecord();
    if (this.#answer.write(bytes) || this.#waitsForDrain) return;
    this.#waitsForDrain = true;
    this.#wasSlow = true;
    if (!this.#endAsked) this.#owner.hold();
    this.#answer.onDrain(() => {
      this.#waitsForDrain = false;
      if (this.#owner.ended) return;
      if (this.#endAsked) this.end();
      else this.#owner.release();
    });
  }
}
