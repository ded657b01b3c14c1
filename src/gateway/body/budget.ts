/** Bodies up to this size do not queue behind larger ones: they are nearly all requests and use little of the memory. */
export const SMALL_BYTES = 64 * 1_024;
/**
 * The minimum upload rate while other requests wait for memory: an upload may take `patienceMs` plus a second for each of
 * these bytes.
 */
const BYTES_A_SECOND = 1_024 * 1_024;

export interface BudgetTimes {
  /** How long a request waits for room. */
  readonly waitMs: number;
  readonly patienceMs: number;
  /** How often uploads are checked for slowness while others wait. */
  readonly checkMs: number;
}

const TIMES: BudgetTimes = { waitMs: 10_000, patienceMs: 10_000, checkMs: 1_000 };

interface Waiter {
  readonly share: BodyShare;
  readonly settle: (isGiven: boolean) => void;
  readonly timer: ReturnType<typeof setTimeout>;
}

/** The budget's metrics. */
export interface BudgetCounts {
  readonly bytes: number;
  readonly waiting: number;
  readonly refused: number;
}

/**
 * The total memory for request bodies that are held complete: for plugins, the cache, retries and the unified address.
 *
 * A body gets its room before it is read, so that a body once begun can be finished. Without room it waits, in the order of
 * arrival. A body larger than the complete budget gets room when nothing else is held.
 */
export class BodyBudget {
  readonly #bytesMax: number;
  readonly #times: BudgetTimes;
  #used = 0;
  #refused = 0;
  readonly #waiting: Waiter[] = [];
  /** Large bodies being uploaded. */
  readonly #uploading = new Set<BodyShare>();
  #checks: ReturnType<typeof setInterval> | undefined;

  constructor(bytesMax: number, times: Partial<BudgetTimes> = {}) {
    this.#bytesMax = bytesMax;
    this.#times = { ...TIMES, ...times };
  }

  counts(): BudgetCounts {
    return { bytes: this.#used, waiting: this.#waiting.length, refused: this.#refused };
  }

  /**
   * Requests room for a body.
   *
   * @param onSlow - called if the body arrives too slowly while others wait for room.
   * @returns its share; `given` says, immediately or later, whether there was room in time.
   */
  ask(bytes: number, onSlow: () => void): BodyShare {
    const share = new BodyShare(this, bytes, onSlow);
    const isFirst = this.#waiting.length === 0 || bytes <= SMALL_BYTES;
    if (isFirst && this.#fits(bytes)) this.#give(share);
    else share.given = this.#queue(share);
    return share;
  }

  /** Takes room for a body without waiting; undefined if there is none. */
  take(bytes: number, onSlow: () => void): BodyShare | undefined {
    if (this.#waiting.length > 0 || !this.#fits(bytes)) return undefined;
    const share = new BodyShare(this, bytes, onSlow);
    this.#give(share);
    return share;
  }

  /** Enlarges a share for a body that exceeds its room. @returns false if there is no room left. */
  grow(share: BodyShare, bytes: number): boolean {
    const more = bytes - share.bytes;
    if (this.#used + more > this.#bytesMax && this.#used > share.bytes) {
      this.#refused++;
      return false;
    }
    this.#used += more;
    share.bytes = bytes;
    if (bytes > SMALL_BYTES) this.#uploads(share);
    return true;
  }

  /** The body has arrived completely, or is no longer expected. */
  arrived(share: BodyShare): void {
    if (share.bytes > SMALL_BYTES) this.#uploading.delete(share);
  }

  release(share: BodyShare): void {
    this.arrived(share);
    if (share.isHeld) {
      share.isHeld = false;
      this.#used -= share.bytes;
    } else {
      const at = this.#waiting.findIndex((waiter) => waiter.share === share);
      if (at >= 0) this.#settle(at, false);
    }
    while (this.#waiting.length > 0 && this.#fits(this.#waiting[0]!.share.bytes)) {
      this.#give(this.#waiting[0]!.share);
      this.#settle(0, true);
    }
  }

  #fits(bytes: number): boolean {
    return this.#used === 0 || this.#used + bytes <= this.#bytesMax;
  }

  #give(share: BodyShare): void {
    this.#used += share.bytes;
    share.isHeld = true;
    if (share.bytes > SMALL_BYTES) this.#uploads(share);
  }

  #uploads(share: BodyShare): void {
    if (this.#uploading.has(share)) return;
    share.startedMs = performance.now();
    this.#uploading.add(share);
  }

  #queue(share: BodyShare): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => {
      const at = this.#waiting.findIndex((waiter) => waiter.share === share);
      if (at < 0) return;
      this.#refused++;
      this.#settle(at, false);
    }, this.#times.waitMs);
    this.#waiting.push({ share, settle: resolve, timer });
    this.#checks ??= setInterval(() => this.#endSlow(), this.#times.checkMs);
    return promise;
  }

  #settle(at: number, isGiven: boolean): void {
    const [waiter] = this.#waiting.splice(at, 1);
    clearTimeout(waiter!.timer);
    waiter!.settle(isGiven);
    if (this.#waiting.length > 0) return;
    clearInterval(this.#checks);
    this.#checks = undefined;
  }

  #endSlow(): void {
    const now = performance.now();
    for (const share of [...this.#uploading]) {
      const patienceMs = this.#times.patienceMs + (share.bytes / BYTES_A_SECOND) * 1_000;
      if (now - share.startedMs > patienceMs) share.onSlow();
    }
  }
}

/** The room of one body, held until its exchange ends. */
export class BodyShare {
  readonly #budget: BodyBudget;
  readonly onSlow: () => void;
  bytes: number;
  isHeld = false;
  startedMs = 0;
  given: boolean | Promise<boolean> = true;

  constructor(budget: BodyBudget, bytes: number, onSlow: () => void) {
    this.#budget = budget;
    this.bytes = bytes;
    this.onSlow = onSlow;
  }

  grow(bytes: number): boolean {
    return bytes <= this.bytes || this.#budget.grow(this, bytes);
  }

  arrived(): void {
    this.#budget.arrived(this);
  }

  release(): void {
    this.#budget.release(this);
  }
}
