import { type Distribution, histogramSamples, type Labels, metricText } from "./metric-text.ts";

interface Named {
  readonly name: string;
  readonly help: string;
}

interface Counted {
  readonly labels: Labels;
  value: number;
}

/** A counter, one value per set of labels. Its caller bounds the number of sets. */
export class Counter {
  readonly #named: Named;
  readonly #counted = new Map<string, Counted>();

  /** @param labels - sets shown from the start, at 0; by default one without labels. */
  constructor(named: Named, labels: readonly Labels[] = [{}]) {
    this.#named = named;
    for (const each of labels) this.add(0, each);
  }

  add(by = 1, labels: Labels = {}): void {
    const key = Object.values(labels).join("\n");
    const counted = this.#counted.get(key);
    if (counted === undefined) this.#counted.set(key, { labels, value: by });
    else counted.value += by;
  }

  text(): string {
    return metricText({ ...this.#named, type: "counter" }, this.#counted.values());
  }
}

/** Counts observations by size, at the cost of one addition each. */
export class Buckets {
  readonly #bounds: readonly number[];
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    let at = 0;
    while (at < this.#bounds.length && value > this.#bounds[at]!) at++;
    this.#counts[at]!++;
    this.#sum += value;
  }

  counts(): Distribution {
    return { bounds: this.#bounds, counts: [...this.#counts], sum: this.#sum };
  }
}

/** A gauge whose value was just read. */
export function gaugeText(name: string, help: string, value: number): string {
  return metricText({ name, help, type: "gauge" }, [{ value }]);
}

/** A counter kept elsewhere as a plain number. */
export function countText(name: string, help: string, value: number): string {
  return metricText({ name, help, type: "counter" }, [{ value }]);
}

export function histogramText(name: string, help: string, distribution: Distribution): string {
  return metricText({ name, help, type: "histogram" }, histogramSamples(distribution));
}
