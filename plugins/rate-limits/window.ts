import type { Span } from "./span.ts";

/** Maximum entries that are kept separately; beyond it, neighbours are merged. */
const ENTRIES_MAX = 1_000;
const PARTS = 500;

/**
 * The counts within a span that ends now. Times are milliseconds since 1970.
 *
 * Exact up to a thousand entries. Beyond that, entries within a five-hundredth of the span expire together with the last of
 * them: never too early, so that no span exceeds its quota.
 */
export class Window {
  #times: number[] = [];
  #amounts: number[] = [];
  /** First entry that is still in the window. */
  #head = 0;
  #total = 0;

  /** The total within the span that ends now. */
  total(now: number, span: Span): number {
    const times = this.#times;
    // A clock that was set back must not keep entries longer than the span.
    if (times.length > 0 && times.at(-1)! > now) this.#times = times.map((time) => Math.min(time, now));
    const outUntil = span.outUntil(now);
    while (this.#head < this.#times.length && this.#times[this.#head]! <= outUntil) {
      this.#total -= this.#amounts[this.#head]!;
      this.#head += 1;
    }
    if (this.#head === this.#times.length) this.clear();
    else if (this.#head > ENTRIES_MAX) this.#cut();
    return this.#total;
  }

  add(now: number, amount: number, span: Span): void {
    this.#total += amount;
    const last = this.#times.length - 1;
    if (last >= this.#head && this.#times[last]! >= now) {
      this.#amounts[last]! += amount;
      return;
    }
    this.#times.push(now);
    this.#amounts.push(amount);
    if (this.#times.length - this.#head <= ENTRIES_MAX) return;
    // Drops expired entries first: they must not be merged with entries that still count.
    this.total(now, span);
    const first = span.outUntil(now) + 1;
    this.#join((span.outAt(first) - first) / PARTS);
  }

  /** Undoes an entry with this time. */
  remove(time: number, amount: number): void {
    // Merged entries have the time of the last one.
    for (let at = this.#head; at < this.#times.length; at++) {
      if (this.#times[at]! < time) continue;
      const taken = Math.min(amount, this.#amounts[at]!);
      this.#amounts[at]! -= taken;
      this.#total -= taken;
      return;
    }
  }

  /** When the total in the span will be less than `quota`; `now` if it already is. */
  freeAt(now: number, span: Span, quota: number): number {
    let total = this.total(now, span);
    if (total < quota) return now;
    for (let at = this.#head; at < this.#times.length; at++) {
      total -= this.#amounts[at]!;
      if (total < quota) return span.outAt(this.#times[at]!);
    }
    return span.outAt(now);
  }

  /** When the oldest entry expires; undefined if there is none. */
  nextFreeAt(span: Span): number | undefined {
    for (let at = this.#head; at < this.#times.length; at++) {
      if (this.#amounts[at]! > 0) return span.outAt(this.#times[at]!);
    }
    return undefined;
  }

  /** Entries in the span, oldest first: time and amount. */
  *entries(): Generator<readonly [number, number]> {
    for (let at = this.#head; at < this.#times.length; at++) {
      if (this.#amounts[at]! > 0) yield [this.#times[at]!, this.#amounts[at]!];
    }
  }

  clear(): void {
    this.#times = [];
    this.#amounts = [];
    this.#head = 0;
    // Floating-point sums drift; an empty window must total 0.
    this.#total = 0;
  }

  #cut(): void {
    this.#times = this.#times.slice(this.#head);
    this.#amounts = this.#amounts.slice(this.#head);
    this.#head = 0;
  }

  #join(partMs: number): void {
    const times: number[] = [];
    const amounts: number[] = [];
    let part = Number.NaN;
    for (let at = this.#head; at < this.#times.length; at++) {
      const own = Math.floor(this.#times[at]! / partMs);
      const last = times.length - 1;
      if (own === part) {
        times[last] = this.#times[at]!;
        amounts[last]! += this.#amounts[at]!;
      } else {
        times.push(this.#times[at]!);
        amounts.push(this.#amounts[at]!);
        part = own;
      }
    }
    this.#times = times;
    this.#amounts = amounts;
    this.#head = 0;
  }
}
