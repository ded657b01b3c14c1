import type { Key } from "../../aggregates.ts";
import type { Mask } from "./filter.ts";
import { type Dimension, Groups } from "./groups.ts";
import { Ranked } from "./ranked.ts";
import { grown, Sums } from "./sums.ts";
import type { BlockView } from "./view.ts";

/** What is added up for each group. */
export interface Measures {
  readonly tokens?: true;
  /** Errors, refused requests and cache hits. */
  readonly outcomes?: true;
  readonly latencies?: true;
  /** Times to the first token, and tokens per second after it. */
  readonly speeds?: true;
  /** Times of the first and the last creation. */
  readonly activity?: true;
}

/** The `outcome` of a request that the gateway itself refused. */
export const REFUSED = "refused";

export const TOKENS = ["prompt_tokens", "completion_tokens", "total_tokens"] as const;

/** The ranked measures, and their column names in SQL. */
export const RANKED = { latencies: "latencies", firsts: "firsts", rates: "rates" } as const;
export type RankedName = keyof typeof RANKED;

/** A group's metrics from SQL, for records outside of blocks. */
export interface GroupRow {
  readonly requests: number;
  readonly errors?: number;
  readonly refused?: number;
  readonly cache_hits?: number;
  readonly first?: number;
  readonly last?: number;
  /** Values of `RANKED`, separated by commas. */
  readonly latencies?: string | null;
  readonly firsts?: string | null;
  readonly rates?: string | null;
  readonly [sum: string]: Key | undefined;
}

/** Adds up records of blocks, and sums from SQL for other records. */
export class GroupAggregates {
  readonly #groups: Groups;
  readonly #measures: Measures;
  readonly #sums = {
    cost: new Sums(),
    prompt_tokens: new Sums(),
    completion_tokens: new Sums(),
    total_tokens: new Sums(),
  };
  readonly ranked: Readonly<Record<RankedName, Ranked>> = {
    latencies: new Ranked(),
    firsts: new Ranked(),
    rates: new Ranked(),
  };
  #requests = new Float64Array(64);
  #errors = new Float64Array(64);
  #refused = new Float64Array(64);
  #hits = new Float64Array(64);
  #first = new Float64Array(64).fill(Number.POSITIVE_INFINITY);
  #last = new Float64Array(64).fill(Number.NEGATIVE_INFINITY);

  constructor(dimensions: readonly Dimension[], measures: Measures) {
    this.#groups = new Groups(dimensions);
    this.#measures = measures;
  }

  async addBlock(view: BlockView, mask: Mask): Promise<void> {
    if (mask === false) return;
    const groups = await this.#groups.ofRows(view, mask);
    const { count } = this.#groups;
    this.#grow(count);
    const requests = this.#requests;
    for (let row = 0; row < groups.length; row++) requests[groups[row]!]!++;
    this.#sums.cost.add(groups, await view.numbers("cost"), count);
    if (this.#measures.tokens) {
      for (const name of TOKENS) this.#sums[name].add(groups, await view.numbers(name), count);
    }
    if (this.#measures.outcomes) await this.#addOutcomes(view, groups);
    if (this.#measures.latencies) this.ranked.latencies.add(groups, await view.numbers("delay_ms"), count);
    if (this.#measures.speeds) await this.#addSpeeds(view, groups, count);
    if (this.#measures.activity) await this.#addActivity(view, groups);
  }

  /** @param keys - that SQL grouped by, in the order of the dimensions. */
  addRow(keys: readonly Key[], row: GroupRow): void {
    const group = this.#groups.groupOf(keys);
    this.#grow(this.#groups.count);
    this.#requests[group]! += row.requests;
    this.#errors[group]! += row.errors ?? 0;
    this.#refused[group]! += row.refused ?? 0;
    this.#hits[group]! += row.cache_hits ?? 0;
    this.#first[group] = Math.min(this.#first[group]!, row.first ?? Number.POSITIVE_INFINITY);
    this.#last[group] = Math.max(this.#last[group]!, row.last ?? Number.NEGATIVE_INFINITY);
    for (const [name, sums] of Object.entries(this.#sums)) {
      const sum = row[name];
      if (typeof sum === "number") sums.addSum(group, sum, 1);
    }
    for (const name of Object.keys(RANKED) as RankedName[]) {
      const values = rankedValues(row[name]);
      const groups = new Uint32Array(values.length).fill(group);
      if (values.length > 0) this.ranked[name].add(groups, values, this.#groups.count);
    }
  }

  /** Group numbers with at least one record. */
  *groups(): Generator<number> {
    for (let group = 1; group < this.#groups.count; group++) if (this.#requests[group]! > 0) yield group;
  }

  keysOf(group: number): Key[] {
    return this.#groups.keysOf(group);
  }

  requestsOf(group: number): number {
    return this.#requests[group] ?? 0;
  }

  get sums() {
    return this.#sums;
  }

  outcomesOf(group: number): { errors: number; refused: number; cacheHits: number } {
    return {
      errors: this.#errors[group] ?? 0,
      refused: this.#refused[group] ?? 0,
      cacheHits: this.#hits[group] ?? 0,
    };
  }

  activityOf(group: number): { first: number; last: number } {
    return { first: this.#first[group]!, last: this.#last[group]! };
  }

  async #addOutcomes(view: BlockView, groups: Uint32Array): Promise<void> {
    const [status, cached] = [await view.numbers("response_status"), await view.numbers("cached")];
    const { codes, values } = await view.texts("outcome");
    // Outcome codes start at 1, so without refused records no row has this code.
    const refusedCode = values.indexOf(REFUSED) + 1 || Number.NaN;
    const [errors, refused, hits] = [this.#errors, this.#refused, this.#hits];
    for (let row = 0; row < groups.length; row++) {
      if (codes[row] === refusedCode) refused[groups[row]!]!++;
      else if (status[row]! >= 400) errors[groups[row]!]!++;
      if (cached[row] === 1) hits[groups[row]!]!++;
    }
  }

  /** Only streamed responses have a time of the first token. */
  async #addSpeeds(view: BlockView, groups: Uint32Array, count: number): Promise<void> {
    const firsts = await view.numbers("time_to_first_token");
    const [whole, tokens] = [await view.numbers("delay_ms"), await view.numbers("completion_tokens")];
    const rates = new Float64Array(firsts.length).fill(Number.NaN);
    for (let row = 0; row < rates.length; row++) {
      const streamed = whole[row]! - firsts[row]!;
      if (streamed > 0 && tokens[row]! > 0) rates[row] = (tokens[row]! * 1000) / streamed;
    }
    this.ranked.firsts.add(groups, firsts, count);
    this.ranked.rates.add(groups, rates, count);
  }

  async #addActivity(view: BlockView, groups: Uint32Array): Promise<void> {
    const times = await view.numbers("request_created_at");
    const [first, last] = [this.#first, this.#last];
    for (let row = 0; row < groups.length; row++) {
      const group = groups[row]!;
      const time = times[row]!;
      if (time < first[group]!) first[group] = time;
      if (time > last[group]!) last[group] = time;
    }
  }

  #grow(count: number): void {
    if (count <= this.#requests.length) return;
    const length = Math.max(count, this.#requests.length * 2);
    this.#requests = grown(this.#requests, length);
    this.#errors = grown(this.#errors, length);
    this.#refused = grown(this.#refused, length);
    this.#hits = grown(this.#hits, length);
    this.#first = grown(this.#first, length, Number.POSITIVE_INFINITY);
    this.#last = grown(this.#last, length, Number.NEGATIVE_INFINITY);
  }
}

/** Parses the values that SQL collected for one group. */
export const rankedValues = (gathered: Key | undefined): Float64Array =>
  Float64Array.from(JSON.parse(`[${gathered ?? ""}]`) as number[]);
