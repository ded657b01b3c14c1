import type { PluginShare } from "weir/plugin";
import type { Policy, Unit } from "./policy.ts";
import type { Span } from "./span.ts";
import { Window } from "./window.ts";

/** How quickly the likely charge decreases after smaller charges. */
const FORGETTING = 0.1;
/** After this many consecutive responses of unknown usage or price, the next request holds nothing. */
const UNKNOWN_MAX = 3;
/** The hold of a request while the typical cost is unknown: more than almost any request costs. */
const FIRST_HOLD: Readonly<Record<Unit, number>> = { request: 1, cents: 100, tokens: 100_000 };

/** One policy, applied to one request. */
export interface Bearing {
  readonly policy: Policy;
  readonly counter: Counter;
  /** The credential that the limit belongs to; undefined for a client's own limit. */
  readonly credential?: string;
}

/** The counts of one policy for one organization and segment. */
export class Counter {
  readonly key: string;
  /** Its number in the journal. */
  readonly number: number;
  span: Span;
  readonly window = new Window();
  /** Shares, if several nodes count together. */
  share: PluginShare | undefined;
  /** Likely cost of requests that are in flight or not charged yet. */
  held = 0;
  /** Number of these requests. */
  holders = 0;
  /** Number of these requests that have ended: their cost will be known soon. */
  ended = 0;
  /** The likely charge of the next request; undefined until something was charged. */
  likely: number | undefined;
  #unknown = 0;

  constructor(key: string, number: number, span: Span) {
    this.key = key;
    this.number = number;
    this.span = span;
  }

  /** The part of the quota that is not counted or charged yet, here or on other nodes; holds are not subtracted. */
  left(policy: Policy, now: number): number {
    const elsewhere = this.share?.others() ?? 0;
    return Math.max(0, policy.quota - elsewhere - this.window.total(now, policy.span));
  }

  /** What may still be spent; nothing if 0 or less. */
  balance(policy: Policy, now: number): number {
    return this.#quota(policy) - this.window.total(now, policy.span) - this.held;
  }

  /** Whether requesting room from the other nodes may help. */
  mayAsk(policy: Policy, now: number): boolean {
    return this.share?.mayGrow() === true && this.window.total(now, policy.span) + this.held < policy.quota;
  }

  /** Its state, for the other nodes. */
  state(unit: Unit, now: number): { used: number; likely: number } {
    const used = this.window.total(now, this.span) + this.held;
    return { used, likely: unit === "request" ? 1 : (this.likely ?? FIRST_HOLD[unit]) };
  }

  /**
   * The hold of the next request until its charge is known, so that a burst cannot exceed a budget by more than one
   * request.
   */
  toHold(policy: Policy, now: number): number {
    return this.likely ?? Math.max(0, Math.min(this.balance(policy, now), FIRST_HOLD[policy.unit]));
  }

  /** Whether only holds take up the policy's room; they may be settled soon. */
  isHeldUp(policy: Policy, now: number): boolean {
    return this.holders > 0 && this.window.total(now, policy.span) < this.#quota(policy);
  }

  hold(amount: number): void {
    this.held += amount;
    this.holders += 1;
  }

  release(amount: number): void {
    this.holders -= 1;
    this.held = this.holders === 0 ? 0 : this.held - amount;
  }

  /** Learns from the charge of a response; null if unknown. */
  learn(charge: number | null): void {
    if (charge === null) {
      this.#unknown += 1;
      if (this.#unknown >= UNKNOWN_MAX) this.likely ??= 0;
      return;
    }
    this.#unknown = 0;
    const { likely } = this;
    this.likely = likely === undefined || charge >= likely ? charge : likely - (likely - charge) * FORGETTING;
  }

  /** Whole seconds until the policy has room, at least one. */
  retrySeconds(policy: Policy, now: number): number {
    const { quota, span } = policy;
    if (quota === 0) return secondsUntil(span.outAt(now), now);
    // Other requests' holds may end sooner, at an unknown time.
    const here = this.share === undefined ? quota : Math.max(1, this.#quota(policy));
    return secondsUntil(this.window.freeAt(now, span, here), now);
  }

  /** Whole seconds until the oldest counted entry expires. */
  resetSeconds({ span }: Policy, now: number): number {
    return secondsUntil(this.window.nextFreeAt(span) ?? span.outAt(now), now);
  }

  #quota(policy: Policy): number {
    return this.share === undefined ? policy.quota : Math.min(policy.quota, this.share.allowed());
  }

  isIdle(now: number): boolean {
    return this.holders === 0 && this.window.total(now, this.span) === 0;
  }
}

const secondsUntil = (time: number, now: number) => Math.max(1, Math.ceil((time - now) / 1_000));
