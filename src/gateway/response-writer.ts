import type { ServerResponse } from "../runtime/http/server.ts";
import { reasonOf } from "./refusal.ts";

/** The exchange that a response belongs to. */
interface WriterOwner {
  readonly ended: boolean;
  /** Writes what was recorded so far to the page cache; called before the client sees the first byte. */
  flushRecord(): void;
  /** The client reads more slowly than data arrives; `release` when it has caught up. */
  hold(): void;
  release(): void;
  /** The response is complete, and everything except what `takeHeld` returns has left this process's memory. */
  onWhole(): void;
}

/** Allowed characters of a reason phrase; any other phrase is replaced by the standard one. */
const SAFE_REASON = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Writes a response to the client, chunk by chunk, with back-pressure. */
export class ResponseWriter {
  readonly #response: ServerResponse;
  readonly #owner: WriterOwner;
  headSent = false;
  /** Whether bytes may go to the client: false while the spool is being synced to disk. */
  #isOpen = true;
  /** The last chunk, held until the end of this turn, so that a small response and its end leave in one write. */
  #held: Uint8Array | undefined;
  #flushRequested = false;
  #endRequested = false;
  #waitsForDrain = false;
  /** Whether the client was ever slower than the provider. */
  #wasSlow = false;

  constructor(response: ServerResponse, owner: WriterOwner) {
    this.#response = response;
    this.#owner = owner;
  }

  /** Whether the response has been received completely, regardless of what the client has read. */
  get endRequested(): boolean {
    return this.#endRequested;
  }

  /** Whether its microtask is still due: the head, or earlier bytes, arrived with those that are being read. */
  get isFlushDue(): boolean {
    return this.#flushRequested;
  }

  /** Whether everything received so far has been written to the client's socket. */
  get isTaken(): boolean {
    return this.#held === undefined && !this.#waitsForDrain && this.#isOpen;
  }

  head(status: number, reason: string, headers: readonly string[]): void {
    this.headSent = true;
    this.#response.head(status, SAFE_REASON.test(reason) ? reason : reasonOf(status), headers);
    this.#flushSoon();
  }

  /** Like `head`, once `synced` resolves; nothing goes to the client before. */
  headAfter(synced: Promise<void>, status: number, reason: string, headers: readonly string[]): void {
    this.#isOpen = false;
    this.#owner.hold();
    void synced.then(() => {
      if (this.#owner.ended) return;
      this.#isOpen = true;
      this.head(status, reason, headers);
      this.#owner.release();
      if (this.#endRequested) this.end();
    });
  }

  /** @param isLast - the last chunk: it is held for the end, which the upstream reports immediately after. */
  data(bytes: Uint8Array, isLast: boolean): void {
    const held = this.#held;
    this.#held = bytes;
    if (held !== undefined) this.#write(held);
    if (!isLast) this.#flushSoon();
  }

  /** The response is complete. */
  end(): void {
    this.#endRequested = true;
    if (!this.#isOpen) return;
    // Data that a slow client has not read is in our memory; the response is not complete until it has left.
    if (this.#wasSlow) this.#writeHeld();
    if (!this.#waitsForDrain) this.#owner.onWhole();
  }

  /** Takes the bytes to send together with the end. */
  takeHeld(): Uint8Array | undefined {
    const held = this.#held;
    this.#held = undefined;
    return held;
  }

  /** Sends what has been received so far. */
  flush(): void {
    if (this.#writeHeld()) return;
    this.#owner.flushRecord();
    this.#response.flush();
  }

  /** Sends headers and early chunks at the end of this turn of the event loop, without waiting for more. */
  #flushSoon(): void {
    if (this.#flushRequested || !this.#isOpen) return;
    this.#flushRequested = true;
    flushing.push(this);
    queueMicrotask(flushNext);
  }

  /** Sends what has arrived in this turn, unless the response is already complete: that leaves in one write. */
  flushDue(): void {
    this.#flushRequested = false;
    if (!this.#owner.ended && !this.#endRequested) this.flush();
  }

  #writeHeld(): boolean {
    const held = this.takeHeld();
    if (held !== undefined) this.#write(held);
    return held !== undefined;
  }

  #write(bytes: Uint8Array): void {
    this.#owner.flushRecord();
    if (this.#response.write(bytes) || this.#waitsForDrain) return;
    this.#waitsForDrain = true;
    this.#wasSlow = true;
    if (!this.#endRequested) this.#owner.hold();
    this.#response.onDrain(() => {
      this.#waitsForDrain = false;
      if (this.#owner.ended) return;
      if (this.#endRequested) this.end();
      else this.#owner.release();
    });
  }
}

/** Writers that wait for their microtask. One function serves all: a closure for each response would be garbage. */
const flushing: ResponseWriter[] = [];
const flushNext = (): void => flushing.shift()?.flushDue();
