import { metricText } from "../runtime/metric-text.ts";
import type { Distribution } from "../threads.ts";

/** A histogram that costs an addition per observation. */
export class Buckets {
  readonly #bounds: readonly number[];
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(seconds: number): void {
    let at = 0;
    while (at < this.#bounds.length && seconds > this.#bounds[at]!) at++;
    this.#counts[at]!++;
    this.#sum += seconds;
  }

  counts(): Distribution {
    return { bounds: this.#bounds, counts: [...this.#counts], sum: this.#sum };
  }
}

/** What both counted; their bounds are the same. */
export function together({ bounds, counts, sum }: Distribution, other: Distribution): Distribution {
  return { bounds, counts: counts.map((count, at) => count + other.counts[at]!), sum: sum + other.sum };
}

/** In the form in which Prometheus reads it. */
export function histogramText(name: string, help: string, { bounds, counts, sum }: Distribution): string {
  let total = 0;
  const buckets = counts.map((count, at) => {
    total += count;
    return { suffix: "_bucket", labels: { le: bounds[at] ?? "+Inf" }, value: total };
  });
  const sums = [
    { suffix: "_sum", value: sum },
    { suffix: "_count", value: total },
  ];
  return metricText({ name, help, type: "histogram" }, [...buckets, ...sums]);
}
