import { recordedCalls } from "../../../engine/recorded-calls.ts";
import { dollars } from "../../../record/dollars.ts";
import { itemPages } from "../../../store/datasets/items.ts";
import { type CallTotals, resultsOf } from "../../../store/datasets/run-results.ts";
import type { Run } from "../../../store/datasets/runs.ts";
import type { ApiContext } from "../../context.ts";
import { isSame } from "./shown.ts";

const PAGE = 200;

/** Metrics over all calls of a target, or over the items' original requests. */
export interface RunTotals {
  /** The target's name; null for the original requests. */
  readonly target: string | null;
  readonly done: number;
  readonly errors: number;
  /** Outputs equal to the item's own, out of `compared`. */
  readonly same: number;
  readonly compared: number;
  /** US dollars, over the calls with a known price. */
  readonly cost: number | null;
  readonly unknown_costs: number;
  readonly cost_median: number | null;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  /** Milliseconds. */
  readonly latency_median: number | null;
  readonly first_token_median: number | null;
  /** The mean by score name, and the number of calls that have the score. */
  readonly scores: Readonly<Record<string, { readonly mean: number; readonly count: number }>>;
}

/** The original requests first, then the targets in their order. */
export async function totalsOf(context: ApiContext, run: Run): Promise<RunTotals[]> {
  const original = new Sums(null);
  const sums = run.targets.map(({ name }) => new Sums(name));
  const { dataset_id, version, label, organization_id } = run;
  for await (const items of itemPages(context.current.records, dataset_id, { version, label, limit: PAGE })) {
    const byId = new Map(items.map((item) => [item.id, item]));
    const results = await resultsOf(context.current.records, run.id, [...byId.keys()]);
    const requestIds = items.flatMap(({ request_id }) => request_id ?? []);
    const all = [...requestIds, ...results.map(({ request_id }) => request_id)];
    const recorded = await recordedCalls(context.engine.source, organization_id, all);
    for (const id of requestIds) {
      const call = recorded.get(id);
      if (call !== undefined) original.add(call, (call.status ?? 0) < 400, call.scores);
    }
    for (const result of results) {
      const sum = sums[result.target];
      sum?.add(result, result.ok, recorded.get(result.request_id)?.scores ?? {});
      sum?.compare(isSame(result.output, byId.get(result.item_id)?.output ?? null));
    }
  }
  return [original, ...sums].map((each) => each.totals());
}

class Sums {
  readonly #target: string | null;
  readonly #costs: number[] = [];
  readonly #latencies: number[] = [];
  readonly #firsts: number[] = [];
  readonly #scores = new Map<string, { sum: number; count: number }>();
  #done = 0;
  #errors = 0;
  #same = 0;
  #compared = 0;
  #unknown = 0;
  #prompt: number | null = null;
  #completion: number | null = null;

  constructor(target: string | null) {
    this.#target = target;
  }

  add(totals: CallTotals, ok: boolean, scores: Readonly<Record<string, number>>): void {
    this.#done++;
    for (const [name, value] of Object.entries(scores)) {
      const known = this.#scores.get(name) ?? { sum: 0, count: 0 };
      this.#scores.set(name, { sum: known.sum + value, count: known.count + 1 });
    }
    if (totals.cost !== null) this.#costs.push(totals.cost);
    if (!ok) {
      this.#errors++;
      return;
    }
    if (totals.cost === null) this.#unknown++;
    if (totals.latency !== null) this.#latencies.push(totals.latency);
    if (totals.first_token !== null) this.#firsts.push(totals.first_token);
    if (totals.prompt_tokens !== null) this.#prompt = (this.#prompt ?? 0) + totals.prompt_tokens;
    if (totals.completion_tokens !== null) this.#completion = (this.#completion ?? 0) + totals.completion_tokens;
  }

  compare(isSame: boolean | null): void {
    if (isSame === null) return;
    this.#compared++;
    if (isSame) this.#same++;
  }

  totals(): RunTotals {
    const costs = this.#costs;
    const scores = [...this.#scores].map(([name, { sum, count }]) => [name, { mean: sum / count, count }] as const);
    return {
      ...{ target: this.#target, done: this.#done, errors: this.#errors, same: this.#same, compared: this.#compared },
      cost: costs.length === 0 ? null : dollars(costs.reduce((sum, each) => sum + each, 0)),
      unknown_costs: this.#unknown,
      cost_median: median(costs),
      ...{ prompt_tokens: this.#prompt, completion_tokens: this.#completion },
      latency_median: median(this.#latencies),
      first_token_median: median(this.#firsts),
      scores: Object.fromEntries(scores.toSorted(([a], [b]) => (a < b ? -1 : 1))),
    };
  }
}

/** By nearest rank, like other percentiles here: always a measured value. */
function median(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length / 2) - 1] ?? null;
}
