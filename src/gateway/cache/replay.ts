import { type UpstreamCall, UpstreamError, type UpstreamEvents } from "../../runtime/http/upstream.ts";
import type { ResponseSource } from "./stored-response.ts";

/** Replays a stored response as if a provider sent it: piece by piece, with back-pressure. */
export class Replay implements UpstreamCall {
  readonly #source: ResponseSource;
  readonly #events: UpstreamEvents;
  #paused = false;
  #aborted = false;
  #wake: (() => void) | undefined;

  /** Owns `source` and closes it. The first event follows after the constructor has returned. */
  constructor(source: ResponseSource, events: UpstreamEvents) {
    this.#source = source;
    this.#events = events;
    queueMicrotask(() => void this.#play());
  }

  /** The request is not sent anywhere: its response exists already. */
  write(): boolean {
    return true;
  }

  end(): void {}

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#wake?.();
  }

  abort(): void {
    this.#aborted = true;
    this.#wake?.();
  }

  async #play(): Promise<void> {
    const { head } = this.#source;
    let failed = false;
    try {
      if (this.#aborted) return;
      this.#events.onHead(head.status, head.reason, [...head.headers]);
      for (const length of head.lengths) {
        const bytes = this.#source.takeNow(length) ?? (await this.#source.take(length));
        if (this.#paused) await this.#resumed();
        if (this.#aborted) return;
        this.#events.onData(bytes);
      }
      if (this.#paused) await this.#resumed();
    } catch (cause) {
      failed = true;
      if (!this.#aborted)
        this.#events.onError(
          new UpstreamError("broken", "the stored response could not be read to its end", { cause }),
        );
    } finally {
      this.#source.close().catch(() => undefined); // a file that was only read has nothing to lose
    }
    if (!failed && !this.#aborted) this.#events.onEnd();
  }

  async #resumed(): Promise<void> {
    while (this.#paused && !this.#aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
  }
}
