import { setTimeout as sleep } from "node:timers/promises";
import { type Log, messageOf } from "../../log.ts";
import { within } from "../../runtime/within.ts";
import type { PluginShare, PluginShares, ShareLimit, ShareState } from "../contract.ts";

/** A node's claim on one limit. Amounts in the limit's unit. */
export interface ShareClaim {
  readonly key: string;
  readonly quota: number;
  /** Already counted in the window: granted in any case. */
  readonly used: number;
  /** The total, including the used amount. */
  readonly want: number;
  /** The amount granted to this node. */
  readonly held: number;
  /** For how long from now the other nodes reserve it. */
  readonly keptMs: number;
}

export interface ShareResult {
  /** The shares of this node and of the others, in the order of the claims. */
  readonly grants: readonly { readonly amount: number; readonly others: number }[];
  /** Recently seen nodes, including this one. */
  readonly nodes: number;
  /** Whether claims are cheap: then nothing is reserved in advance, and unused shares are returned immediately. */
  readonly isExact?: boolean;
}

interface SharesOptions {
  /** Calls the limits server, or the database on another thread. */
  readonly claim: (claims: readonly ShareClaim[]) => Promise<ShareResult>;
  /** How often the limits store has changed: a new store gets this node's shares. */
  readonly moves?: () => number;
  readonly log: Log;
}

/** How often unused shares are returned and expected ones are claimed in advance. */
const TICK_MS = 500;
/** The same interval if claims are cheap. */
const EXACT_TICK_MS = 100;
/** Requests within this many milliseconds share one claim. */
const GATHER_MS = 3;
/** How long a request waits for its claim. A database that takes longer counts as unreachable. */
const RESULT_MS = 1_000;
/** A full limit is claimed again after this many milliseconds. */
const FULL_MS = 200;
const CLAIMS_MAX = 200;
/** A share is valid for half the limit's window after its claim, within these bounds. */
const GOOD_MS = [5_000, 60_000] as const;
/** Differences below this part of the quota are not worth a write. */
const SLACK = 0.02;

/**
 * This node's shares of limits shared by several nodes, cached in the gateway's thread.
 *
 * All shares of a limit together never exceed the limit, so no window exceeds its quota; unused shares of another node
 * become free within a second. While the database is unreachable, every node continues with its share, or with its part of
 * the quota if that is more.
 */
export class Shares {
  readonly #options: SharesOptions;
  readonly #open = new Set<Share>();
  readonly #asking = new Set<Share>();
  readonly #timer: ReturnType<typeof setInterval>;
  #flight: Promise<void> | undefined;
  #gathering: Promise<void> | undefined;
  #away = false;
  #nodes = 1;
  #isExact = false;
  #ticked = 0;
  #moves = 0;

  constructor(options: SharesOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#tick(), EXACT_TICK_MS);
    this.#timer.unref();
  }

  get away(): boolean {
    return this.#away;
  }

  get nodes(): number {
    return this.#nodes;
  }

  /** The shares of one plugin; keys of different plugins do not collide. */
  of(plugin: string): PluginShares {
    return {
      open: (key, limit, state) => {
        const share = new Share(this, `${plugin} ${key}`, limit, state);
        this.#open.add(share);
        return share;
      },
    };
  }

  forget(share: Share): void {
    this.#open.delete(share);
    this.#asking.delete(share);
  }

  /** Resolves when the share has been claimed or the claim has timed out. Never rejects. */
  async ask(share: Share): Promise<void> {
    this.#asking.add(share);
    await within(this.#nextFlight(), RESULT_MS, () => this.#continueAlone(`no result within ${RESULT_MS} ms`));
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** The next claim, which collects the current requests. At most one claim is in progress. */
  #nextFlight(): Promise<void> {
    if (this.#gathering !== undefined) return this.#gathering;
    const before = this.#flight;
    const next = (async () => {
      await before;
      await sleep(this.#isExact ? 0 : GATHER_MS);
      this.#gathering = undefined;
      await this.#fly();
    })();
    this.#gathering = next;
    this.#flight = next;
    return next;
  }

  async #fly(): Promise<void> {
    const all = [...this.#asking];
    this.#asking.clear();
    try {
      for (let at = 0; at < all.length; at += CLAIMS_MAX) await this.#claim(all.slice(at, at + CLAIMS_MAX));
      if (this.#away) this.#options.log.info("limits are shared among the nodes again", { nodes: this.#nodes });
      this.#away = false;
    } catch (error) {
      this.#continueAlone(messageOf(error));
    }
  }

  #continueAlone(why: string): void {
    if (!this.#away) this.#options.log.warn("limits cannot be shared now; this node continues with its part", { why });
    this.#away = true;
  }

  async #claim(shares: readonly Share[]): Promise<void> {
    const claimedMs = performance.now();
    const claims = shares.map((share) => share.claim(this.#terms));
    const { grants, nodes, isExact = false } = await this.#options.claim(claims);
    this.#nodes = nodes;
    this.#isExact = isExact;
    for (const [at, share] of shares.entries()) share.take(grants[at]!, claimedMs);
  }

  get #terms(): Terms {
    return { nodes: this.#nodes, isExact: this.#isExact, moves: this.#options.moves?.() ?? 0 };
  }

  /** Also detects when an unreachable database is available again. */
  #tick(): void {
    this.#ticked += 1;
    const terms = this.#terms;
    const hasMoved = terms.moves !== this.#moves;
    if (!hasMoved && !this.#isExact && this.#ticked % (TICK_MS / EXACT_TICK_MS) !== 0) return;
    this.#moves = terms.moves;
    for (const share of this.#open) if (share.isDue(terms)) this.#asking.add(share);
    if (this.#asking.size > 0 && this.#gathering === undefined) void this.#nextFlight();
  }
}

interface Terms {
  readonly nodes: number;
  readonly isExact: boolean;
  readonly moves: number;
}

class Share implements PluginShare {
  readonly #shares: Shares;
  readonly #key: string;
  readonly #state: () => ShareState;
  #limit: ShareLimit;
  #amount = 0;
  #others = 0;
  /** When the last claim with a result was sent; on `performance.now()`. */
  #claimedMs = Number.NEGATIVE_INFINITY;
  #resultMs = Number.NEGATIVE_INFINITY;
  /** Requests since then, and those waiting for the next result. */
  #demand = 0;
  #waiting = 0;
  /** The limits store of the last claim and of the last result, as the number of changes before it. */
  #claimedAt = 0;
  #resultAt = 0;

  constructor(shares: Shares, key: string, limit: ShareLimit, state: () => ShareState) {
    this.#shares = shares;
    this.#key = key;
    this.#limit = limit;
    this.#state = state;
  }

  set(limit: ShareLimit): void {
    this.#limit = limit;
  }

  allowed(): number {
    this.#demand += 1;
    const { quota } = this.#limit;
    if (performance.now() - this.#claimedMs < this.#goodMs) return Math.min(quota, this.#amount);
    if (!this.#shares.away) return 0;
    const part = Math.max(Math.min(1, quota), Math.floor(quota / this.#shares.nodes));
    return Math.max(Math.min(quota, this.#amount), part);
  }

  others(): number {
    return this.#others;
  }

  mayGrow(): boolean {
    if (this.#shares.away) return false;
    const free = this.#limit.quota - this.#others - this.#amount;
    return free > 0 || performance.now() - this.#resultMs > FULL_MS;
  }

  ask(): Promise<void> {
    this.#waiting += 1;
    return this.#shares.ask(this);
  }

  release(): void {
    this.#shares.forget(this);
  }

  claim(terms: Terms): ShareClaim {
    const { quota, windowMs } = this.#limit;
    const { used } = this.#state();
    const want = this.#want(terms);
    this.#claimedAt = terms.moves;
    this.#waiting = 0;
    // A returned share is unused from the moment that other nodes may see it.
    this.#amount = Math.min(this.#amount, want);
    return { key: this.#key, quota, used, want, held: this.#amount, keptMs: windowMs + this.#goodMs };
  }

  take({ amount, others }: ShareResult["grants"][number], claimedMs: number): void {
    this.#amount = amount;
    this.#others = others;
    this.#claimedMs = claimedMs;
    this.#resultMs = performance.now();
    this.#demand = 0;
    this.#resultAt = this.#claimedAt;
  }

  /** Whether the next tick has to make a claim: to get more, to return a part, or to keep the share. */
  isDue(terms: Terms): boolean {
    const { used } = this.#state();
    if (this.#amount === 0 && this.#demand === 0 && used === 0) return false;
    const want = this.#want(terms);
    const slack = Math.max(terms.isExact ? 0 : this.#limit.quota * SLACK, Number.MIN_VALUE);
    const isIdle = used === 0 && this.#demand === 0;
    if (isIdle || this.#resultAt !== terms.moves || want > this.#amount || this.#amount - want >= slack) return true;
    return performance.now() - this.#claimedMs > this.#goodMs / 2;
  }

  /**
   * Room for waiting requests, otherwise for the recent demand, but at most half of this node's fair part of the free
   * amount, so that other nodes get some.
   */
  #want({ nodes, isExact }: Terms): number {
    const { quota } = this.#limit;
    const { used, likely } = this.#state();
    if (isExact) return Math.min(quota, used + this.#waiting * likely);
    const free = Math.max(0, quota - used - this.#others);
    const ahead = Math.min(2 * this.#demand * likely, free / (2 * nodes));
    // Room for a fraction of a request would let a complete one through.
    const whole = likely > 0 ? Math.floor(ahead / likely) * likely : 0;
    return Math.min(quota, used + Math.max(this.#waiting * likely, whole));
  }

  get #goodMs(): number {
    return Math.min(GOOD_MS[1], Math.max(GOOD_MS[0], this.#limit.windowMs / 2));
  }
}
