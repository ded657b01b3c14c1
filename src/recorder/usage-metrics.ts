import { Counter, type Registry } from "prom-client";
import type { RequestRow } from "../record/written-row.ts";

/** By the label `kind`: the column that is added up. Input and output are all of it, the others are parts of them. */
const KINDS = {
  input: "prompt_tokens",
  output: "completion_tokens",
  cache_read: "prompt_cache_read_tokens",
  cache_write: "prompt_cache_write_tokens",
  reasoning: "reasoning_tokens",
} as const satisfies Record<string, keyof RequestRow>;

interface Sums {
  readonly tokens: Record<string, number>;
  usd: number;
  unpriced: number;
}

/** What recorded requests used, added up in plain numbers; Prometheus objects are only touched when someone reads. */
export class UsageMetrics {
  readonly #byProvider = new Map<string, Sums>();

  constructor(registry: Registry) {
    const registers = [registry];
    const sums = this.#byProvider;
    new Counter({
      name: "weir_tokens_total",
      help: "Tokens of recorded requests by provider and kind; answers from the cache are left out.",
      labelNames: ["provider", "kind"] as const,
      registers,
      collect() {
        this.reset();
        for (const [provider, { tokens }] of sums) {
          for (const [kind, count] of Object.entries(tokens)) this.inc({ provider, kind }, count);
        }
      },
    });
    new Counter({
      name: "weir_cost_usd_total",
      help: "Cost of recorded requests in US dollars, as far as it is known.",
      labelNames: ["provider"] as const,
      registers,
      collect() {
        this.reset();
        for (const [provider, { usd }] of sums) this.inc({ provider }, usd);
      },
    });
    new Counter({
      name: "weir_unpriced_records_total",
      help: "Recorded requests that used tokens and whose cost is not known.",
      labelNames: ["provider"] as const,
      registers,
      collect() {
        this.reset();
        for (const [provider, { unpriced }] of sums) this.inc({ provider }, unpriced);
      },
    });
  }

  /** @param provider - a loaded provider's name or CUSTOM, never what a client made up. */
  add(provider: string, row: RequestRow): void {
    if (row.cached === 1) return;
    let sums = this.#byProvider.get(provider);
    if (sums === undefined) {
      sums = { tokens: Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, 0])), usd: 0, unpriced: 0 };
      this.#byProvider.set(provider, sums);
    }
    for (const [kind, column] of Object.entries(KINDS)) sums.tokens[kind]! += row[column] ?? 0;
    if (typeof row.cost === "number" && row.cost >= 0) sums.usd += row.cost;
    else if ((row.total_tokens ?? 0) > 0) sums.unpriced++;
  }
}
