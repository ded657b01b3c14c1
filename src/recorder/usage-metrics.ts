import type { RequestRow } from "../record/written-row.ts";
import { metricText, type Sample } from "../runtime/metric-text.ts";

/** By the label `kind`: the column to sum. Input and output are totals; the others are parts of them. */
const KINDS = {
  input: "prompt_tokens",
  output: "completion_tokens",
  cache_read: "prompt_cache_read_tokens",
  cache_write: "prompt_cache_write_tokens",
  reasoning: "reasoning_tokens",
} as const satisfies Record<string, keyof RequestRow>;
const COLUMNS = Object.entries(KINDS);

const METRICS = [
  {
    name: "weir_tokens_total",
    help: "Tokens of recorded requests by provider and kind; responses from the cache are left out.",
    type: "counter",
  },
  {
    name: "weir_cost_usd_total",
    help: "Cost of recorded requests in US dollars, as far as it is known.",
    type: "counter",
  },
  {
    name: "weir_unpriced_records_total",
    help: "Recorded requests that used tokens and whose cost is not known.",
    type: "counter",
  },
] as const;

interface Sums {
  readonly tokens: Record<string, number>;
  usd: number;
  unpriced: number;
}

/** The usage of recorded requests, summed in plain numbers and formatted as text only when read. */
export class UsageMetrics {
  readonly #byProvider = new Map<string, Sums>();

  /** @param provider - a loaded provider's name or CUSTOM, never a name that a client invented. */
  add(provider: string, row: RequestRow): void {
    if (row.cached === 1) return;
    let sums = this.#byProvider.get(provider);
    if (sums === undefined) {
      sums = { tokens: Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, 0])), usd: 0, unpriced: 0 };
      this.#byProvider.set(provider, sums);
    }
    for (const [kind, column] of COLUMNS) sums.tokens[kind]! += row[column] ?? 0;
    if (typeof row.cost === "number" && row.cost >= 0) sums.usd += row.cost;
    else if ((row.total_tokens ?? 0) > 0) sums.unpriced++;
  }

  /** Prometheus text. */
  text(): string {
    const of = (samples: (sums: Sums) => readonly Sample[]) =>
      [...this.#byProvider].flatMap(([provider, sums]) =>
        samples(sums).map(({ labels, value }) => ({ labels: { provider, ...labels }, value })),
      );
    const [tokens, cost, unpriced] = METRICS;
    return [
      metricText(
        tokens,
        of((sums) => Object.entries(sums.tokens).map(([kind, value]) => ({ labels: { kind }, value }))),
      ),
      metricText(
        cost,
        of(({ usd }) => [{ value: usd }]),
      ),
      metricText(
        unpriced,
        of((sums) => [{ value: sums.unpriced }]),
      ),
    ].join("");
  }
}
