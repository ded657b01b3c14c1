/** Bodies up to here do not queue behind larger ones: they are nearly all requests, and little of the memory. */
export const SMALL_BYTES = 64 * 1_024;
/** What an upload may take while others wait for its room: `patienceMs`, and a second more for each of these bytes. */
const BYTES_A_SECOND = 1_024 * 1_024;

export interface BudgetTimes {
  /** How long a request waits for room. */
  readonly waitMs: number;
  readonly patienceMs: number;
  /** How often it is looked whether an upload is too slow, while others wait. */
  readonly checkMs: number;
}

const TIMES: BudgetTimes = { waitMs: 10_000, patienceMs: 10_000, checkMs: 1_000 };

interface Waiter {
  readonly share: BodyShare;
  readonly settle: (isGiven: boolean) => void;
  readonly timer: ReturnType<typeof setTimeout>;
}

/** What the budget shows in the metrics. */
export interface BudgetCounts {
  readonly bytes: number;
  readonly waiting: number;
  readonly refused: number;
}

/**
 * The memory that request bodies may take together that are held whole: for plugins, the cache, retries and the unified address.
 *
 * A body gets its room before it is read, so that what has begun can be finished. Without room it waits, in the order of
 * arrival. One that is larger than the whole budget gets room when nothing else is held.
 */
export class BodyBudget {
  readonly #bytesMax: number;
  readonly #times: BudgetTimes;
  #used = 0;
  #refused = 0;
  readonly #waiting: Waiter[] = [];
  /** Large bodies that are on their way in. */
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
   * Asks for room for a body.
   *
   * @param onSlow - called where others wait for the room of a body that comes too slowly.
   * @returns its share, whose `given` says whether there was room in time: at once, or later.
   */
  ask(bytes: number, onSlow: () => void): BodyShare {
    const share = new BodyShare(this, bytes, onSlow);
    const isFirst = this.#waiting.length === 0 || bytes <= SMALL_BYTES;
    if (isFirst && this.#fits(bytes)) this.#give(share);
    else share.given = this.#queue(share);
    return share;
  }

  /** Asks for room, without waiting for it. */
  take(bytes: number, onSlow: () => void): BodyShare | undefined {
    if (this.#waiting.length > 0 || !this.#fits(bytes)) return undefined;
    const share = new BodyShare(this, bytes, onSlow);
    this.#give(share);
    return share;
  }

  /** More of a body came than there is room for. @returns false where there is no more. */
  grow(share: BodyShare, bytes: number): boolean {
    const more = bytes - share.bytes;
    if (this.#used + more > this.#bytesMax && this.#used > share.bytes) {
      this.#refused++;
      return false;
    }
    this.#used += more;
    share.bytes = bytes;
    if (bytes > SMALL_BYTES) this.#uploading.add(share);
    return true;
  }

  /** Everything of it has come, or is not waited for any more. */
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
    if (share.bytes <= SMALL_BYTES) return;
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

/** The room of one body, until its exchange ends. */
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
