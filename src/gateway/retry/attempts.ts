import type { Clock } from "../../runtime/clock.ts";
import type { UpstreamCall, UpstreamEvents } from "../../runtime/http/upstream.ts";
import type { Outgoing } from "../forward.ts";
import { type Failure, isRetryable, leadsTo, type RetryPlan } from "./plan.ts";
import { type FailedTry, type Next, TryResponse } from "./try-response.ts";

/** One call of a target. */
export interface Try {
  /** From 1, over all targets. */
  readonly number: number;
  /** -1 for the client's own target, else the fallback's index in the plan. */
  readonly fallback: number;
  readonly startedAt: number;
  readonly outgoing: Outgoing;
}

interface AttemptsOptions {
  /** The exchange's clock. */
  readonly clock: Clock;
  readonly plan: RetryPlan;
  readonly first: Outgoing;
  readonly open: (outgoing: Outgoing, events: UpstreamEvents) => UpstreamCall;
  /** The request for a fallback; undefined if it may not or cannot be sent there. */
  readonly fallback: (place: number) => Promise<Outgoing | undefined>;
  /** A try failed and another one follows. @param head - undefined if there was none. */
  readonly onFailed: (failed: Try, head: { status: number; headers: readonly string[] } | undefined) => FailedTry;
  /** The next try starts after this many milliseconds. */
  readonly onWait: (waitMs: number) => void;
  /** The client gets this try's response. */
  readonly onResponse: (responded: Try) => void;
}

/**
 * Calls a target repeatedly, and then its fallbacks, as far as the plan allows. Passes on the first response that is not a
 * failure, or the last one. Once a head has been passed on there are no more tries.
 */
export class Attempts implements UpstreamCall {
  readonly #options: AttemptsOptions;
  readonly #events: UpstreamEvents;
  #call: UpstreamCall | undefined;
  #tries = 0;
  #triesHere = 0;
  #paused = false;
  #passing = false;
  #aborted = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: AttemptsOptions, events: UpstreamEvents) {
    this.#options = options;
    this.#events = events;
    this.#try({ fallback: -1, outgoing: options.first, waitMs: 0 });
  }

  /** The request's body is sent with every call. */
  write(): boolean {
    return true;
  }

  end(): void {}

  pause(): void {
    this.#paused = true;
    if (this.#passing) this.#call?.pause();
  }

  resume(): void {
    this.#paused = false;
    if (this.#passing) this.#call?.resume();
  }

  abort(): void {
    this.#aborted = true;
    clearTimeout(this.#timer);
    this.#call?.abort();
  }

  #try({ fallback, outgoing }: Next): void {
    this.#triesHere++;
    const attempt: Try = { number: ++this.#tries, fallback, startedAt: this.#options.clock(), outgoing };
    const response = new TryResponse({
      events: this.#events,
      judge: (failure, retryAfterMs) => this.#judge(attempt, failure, retryAfterMs),
      pass: () => this.#pass(attempt),
      fail: (head) => this.#options.onFailed(attempt, head),
      goOn: (next) => this.#later(next),
      aborted: () => this.#aborted,
      held: () => this.#paused,
    });
    const call = this.#options.open(outgoing, response);
    response.call = call;
    this.#call = call;
  }

  #pass(attempt: Try): void {
    this.#passing = true;
    if (this.#paused) this.#call?.pause();
    this.#options.onResponse(attempt);
  }

  #later(next: Next): void {
    // The rest of the failed response belongs to its own record and is read independently.
    this.#call = undefined;
    this.#options.onWait(next.waitMs);
    this.#timer = setTimeout(() => this.#try(next), next.waitMs);
  }

  /** Decides what follows a failure: undefined for nothing; a promise only if plugins are called first. */
  #judge(attempt: Try, failure: Failure, retryAfterMs: number | undefined): Promise<Next | undefined> | undefined {
    const { plan } = this.#options;
    const again = isRetryable(failure) && this.#triesHere < plan.triesMax && (retryAfterMs ?? 0) <= plan.waitMsMax;
    const others = plan.fallbacks.flatMap((each, place) =>
      place > attempt.fallback && leadsTo(each, failure) ? [place] : [],
    );
    if (again) {
      const waitMs = Math.min(plan.waitMsMax, plan.waitMs * plan.factor ** (this.#triesHere - 1));
      const { fallback, outgoing } = attempt;
      return Promise.resolve({ fallback, outgoing, waitMs: Math.max(waitMs, retryAfterMs ?? 0) });
    }
    return others.length === 0 ? undefined : this.#nextOf(others);
  }

  async #nextOf(places: readonly number[]): Promise<Next | undefined> {
    for (const place of places) {
      const outgoing = await this.#options.fallback(place);
      if (outgoing === undefined) continue;
      this.#triesHere = 0;
      return { fallback: place, outgoing, waitMs: 0 };
    }
    return undefined;
  }
}
