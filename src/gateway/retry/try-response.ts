import { retryAfterMs } from "../../egress/retry-after.ts";
import type { UpstreamCall, UpstreamError, UpstreamEvents } from "../../runtime/http/upstream.ts";
import type { Outgoing } from "../forward.ts";
import type { Failure } from "./plan.ts";

/** How long and how far a failed response is read on for its record. */
const REST_MS = 5_000;
const REST_BYTES_MAX = 1_024 * 1_024;

/** Receives the rest of a failed try. */
export interface FailedTry {
  onData(bytes: Uint8Array): void;
  onEnd(whole: boolean): void;
}

/** The try that follows a failed one. */
export interface Next {
  readonly fallback: number;
  readonly outgoing: Outgoing;
  readonly waitMs: number;
}

interface TryOptions {
  readonly events: UpstreamEvents;
  readonly judge: (failure: Failure, retryAfterMs: number | undefined) => Promise<Next | undefined> | undefined;
  readonly pass: () => void;
  readonly fail: (head: { status: number; headers: readonly string[] } | undefined) => FailedTry;
  readonly goOn: (next: Next) => void;
  readonly aborted: () => boolean;
  /** Whether the client is not reading now. */
  readonly held: () => boolean;
}

/** The response of one try: held at its head until it is clear whether it goes to the client or only to a record. */
export class TryResponse implements UpstreamEvents {
  readonly #options: TryOptions;
  call: UpstreamCall | undefined;
  #state: "waiting" | "judged" | "passed" | "failed" = "waiting";
  #lost: UpstreamError | undefined;
  #rest: FailedTry | undefined;
  #restBytes = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: TryOptions) {
    this.#options = options;
  }

  onHead(status: number, reason: string, headers: readonly string[]): void {
    const next = this.#options.judge(status, retryAfterMs(headers));
    const pass = () => {
      this.#state = "passed";
      this.#options.pass();
      this.#options.events.onHead(status, reason, headers);
    };
    if (next === undefined) {
      pass();
      return;
    }
    this.#state = "judged";
    this.call?.pause();
    void this.#settle(next, { status, headers }, () => {
      pass();
      if (this.#lost !== undefined) this.#options.events.onError(this.#lost);
      else if (!this.#options.held()) this.call?.resume();
    });
  }

  onData(bytes: Uint8Array): void {
    if (this.#state === "passed") {
      this.#options.events.onData(bytes);
      return;
    }
    this.#rest?.onData(bytes);
    this.#restBytes += bytes.byteLength;
    if (this.#restBytes > REST_BYTES_MAX) this.#letGo();
  }

  onEnd(): void {
    if (this.#state === "passed") this.#options.events.onEnd();
    else this.#endRest(true);
  }

  onError(error: UpstreamError): void {
    if (this.#state === "passed") this.#options.events.onError(error);
    else if (this.#state === "failed") this.#endRest(false);
    else {
      this.#lost = error;
      if (this.#state === "waiting") this.#judgeLoss(error);
    }
  }

  #judgeLoss(error: UpstreamError): void {
    const next = error.kind === "forbidden" ? undefined : this.#options.judge("network", undefined);
    const pass = () => {
      this.#options.pass();
      this.#options.events.onError(error);
    };
    if (next === undefined) pass();
    else {
      this.#state = "judged";
      void this.#settle(next, undefined, pass);
    }
  }

  async #settle(
    judged: Promise<Next | undefined>,
    head: { status: number; headers: readonly string[] } | undefined,
    pass: () => void,
  ): Promise<void> {
    const next = await judged;
    if (this.#options.aborted()) return;
    if (next === undefined) return pass();
    this.#state = "failed";
    this.#rest = this.#options.fail(head);
    if (this.#lost !== undefined) this.#endRest(false);
    else {
      this.#timer = setTimeout(() => this.#letGo(), REST_MS);
      this.call?.resume();
    }
    this.#options.goOn(next);
  }

  #letGo(): void {
    this.call?.abort();
    this.#endRest(false);
  }

  #endRest(whole: boolean): void {
    clearTimeout(this.#timer);
    this.#rest?.onEnd(whole);
    this.#rest = undefined;
  }
}
