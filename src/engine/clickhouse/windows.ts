import type { Times } from "./records.ts";

const FIRST_REACH_MS = 60_000;
/** A window that would reach further covers the rest. */
const REACH_MS_MAX = 60 * 86_400_000;
/** A window reaches this many times as far as the previous one: at least, and if nothing has been found yet. */
const [GROWTH_MIN, GROWTH_MAX] = [2, 60];
/** The next window reaches this much further than the density so far demands. */
const SPARE = 1.5;

/**
 * Time windows that are searched for a page one after another, because the database finds the newest records of a minute much
 * faster than the newest of all. Together they cover all of `times`, without overlap. The number of records found so far
 * decides how far the next one reaches: many records give small windows, few give large ones.
 */
export class Windows {
  readonly #direction: "asc" | "desc";
  /** Where the first window starts. */
  readonly #start: number;
  /** What is not covered yet; undefined at the end. */
  #rest: Times | undefined;
  #reachMs = 0;

  /**
   * @param times - with a known start for oldest-first.
   * @param now - where newest-first starts, unless `times` ends sooner. Later records are in the first window.
   */
  constructor(direction: "asc" | "desc", times: Times, now: number) {
    this.#direction = direction;
    this.#rest = times;
    this.#start = direction === "desc" ? Math.min(times.most, now) : times.least;
  }

  /** Whether the last window was given out. */
  get isAtEnd(): boolean {
    return this.#rest === undefined;
  }

  /**
   * The next window; undefined after the last.
   *
   * @param share - how many of the wanted records were found so far, from 0 to 1.
   */
  next(share: number): Times | undefined {
    const rest = this.#rest;
    if (rest === undefined) return undefined;
    const growth = share === 0 ? GROWTH_MAX : Math.min(GROWTH_MAX, Math.max(GROWTH_MIN, SPARE / share));
    this.#reachMs = this.#reachMs === 0 ? FIRST_REACH_MS : Math.ceil(this.#reachMs * growth);
    const isDescending = this.#direction === "desc";
    const end = isDescending ? this.#start - this.#reachMs : this.#start + this.#reachMs;
    if (this.#reachMs > REACH_MS_MAX || end <= rest.least || end >= rest.most) {
      this.#rest = undefined;
      return rest;
    }
    this.#rest = isDescending ? { least: rest.least, most: end - 1 } : { least: end + 1, most: rest.most };
    return isDescending ? { least: end, most: rest.most } : { least: rest.least, most: end };
  }
}
