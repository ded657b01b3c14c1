import type { Clock } from "../../runtime/clock.ts";
import type { UpstreamCall, UpstreamEvents } from "../../runtime/http/upstream.ts";
import type { Outgoing } from "../forward.ts";
import { type Failure, isRetryable, leadsTo, type RetryPlan } from "./plan.ts";
import { type FailedTry, type Next, TryAnswer } from "./try-answer.ts";

/** One call of a target. */
export interface Try {
  /** From 1, over all targets. */
  readonly number: number;
  /** -1 for the client's own target, else the fallback's place in the plan. */
  readonly fallback: number;
  readonly startedAt: number;
  readonly outgoing: Outgoing;
}

interface AttemptsOptions {
  /** The exchange's own. */
  readonly clock: Clock;
  readonly plan: RetryPlan;
  readonly first: Outgoing;
  readonly open: (outgoing: Outgoing, events: UpstreamEvents) => UpstreamCall;
  /** The request for a fallback; undefined where it may not or cannot be sent there. */
  readonly fallback: (place: number) => Promise<Outgoing | undefined>;
  /** A try failed and another one follows. @param head - undefined where there was none. */
  readonly onFailed: (failed: Try, head: { status: number; headers: readonly string[] } | undefined) => FailedTry;
  /** The next try comes in so many milliseconds. */
  readonly onWait: (waitMs: number) => void;
  /** The answer of this try is the client's. */
  readonly onAnswered: (answered: Try) => void;
}

/**
 * Calls a target again, or another one, while the plan allows it, and passes the first response on that is no failure, or
 * the last one there is. Once a head was passed on there is no way back.
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

  /** The request's body goes out with every call. */
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
    const answer = new TryAnswer({
      events: this.#events,
      judge: (failure, retryAfterMs) => this.#judge(attempt, failure, retryAfterMs),
      pass: () => this.#pass(attempt),
      fail: (head) => this.#options.onFailed(attempt, head),
      goOn: (next) => this.#later(next),
      aborted: () => this.#aborted,
      held: () => this.#paused,
    });
    const call = this.#options.open(outgoing, answer);
    answer.call = call;
    this.#call = call;
  }

  #pass(attempt: Try): void {
    this.#passing = true;
    if (this.#paused) this.#call?.pause();
    this.#options.onAnswered(attempt);
  }

  #later(next: Next): void {
    // What is left of the failed response is its record's, and continues by itself.
    this.#call = undefined;
    this.#options.onWait(next.waitMs);
    this.#timer = setTimeout(() => this.#try(next), next.waitMs);
  }

  /** What follows a failure: undefined where nothing does, and otherwise maybe only after plugins were asked. */
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
