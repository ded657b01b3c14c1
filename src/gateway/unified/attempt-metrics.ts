import type { Failure } from "../../routing/failure.ts";
import type { Health } from "../../routing/rests.ts";
import type { Candidate } from "../../routing/walk.ts";
import { metricText, type Sample } from "../../runtime/metric-text.ts";

/** Maximum number of label sets. Beyond it calls are counted under the model `other`. */
const SETS_MAX = 1_000;
const OTHER = "other";

const ATTEMPTS = {
  name: "weir_gateway_attempts_total",
  help: "Calls of providers for requests of the unified address, failed ones included.",
  type: "counter",
} as const;
const FAILURES = {
  name: "weir_gateway_attempt_failures_total",
  help: "Those calls that failed, before their response or in the middle of it.",
  type: "counter",
} as const;
const RESTS = {
  name: "weir_gateway_rests_total",
  help: "How often a credential paused; without a model, for all models.",
  type: "counter",
} as const;
const RESTING = { name: "weir_gateway_resting", help: "Credentials that rest now.", type: "gauge" } as const;

interface Labels {
  readonly provider: string;
  readonly model: string;
  /** Empty without one. */
  readonly route: string;
}

interface Counts {
  readonly labels: Labels;
  attempts: number;
  readonly failures: Map<string, number>;
  translations: number;
  translationSeconds: number;
}

/**
 * Counts calls of the unified address by provider, model and route, in plain numbers.
 *
 * Clients may write any model name, so a model gets its own label once it has responded to a call; until then it is `other`.
 */
export class AttemptMetrics {
  readonly #counts = new Map<string, Counts>();
  /** Counts of candidates whose model has a label. */
  readonly #known = new WeakMap<Candidate, Counts>();
  /** Models that have a label, as `provider/model`. */
  readonly #models = new Set<string>();
  readonly #rests = new Map<string, { readonly provider: string; readonly model: string; count: number }>();

  responded(candidate: Candidate): void {
    if (!this.#known.has(candidate) && this.#models.size < SETS_MAX) {
      const { provider, model } = labelsOf(candidate);
      this.#models.add(`${provider}/${model}`);
    }
    this.#of(candidate).attempts++;
  }

  /** @param isAfterHead - the response had begun: the call has already been counted as an attempt. */
  failed(candidate: Candidate, reason: string, isAfterHead = false): void {
    const counts = this.#of(candidate);
    if (!isAfterHead) counts.attempts++;
    counts.failures.set(reason, (counts.failures.get(reason) ?? 0) + 1);
  }

  /** @param ms - time spent translating a request and its response, in this thread and the translator's. */
  translated(candidate: Candidate, ms: number): void {
    const counts = this.#of(candidate);
    counts.translations++;
    counts.translationSeconds += ms / 1_000;
  }

  /** @param model - null if the complete credential rests. */
  rested(provider: string, model: string | null): void {
    const name = this.#modelOf(provider, model);
    const key = JSON.stringify([provider, name]);
    const counted = this.#rests.get(key) ?? { provider, model: name, count: 0 };
    counted.count++;
    this.#rests.set(key, counted);
  }

  /** Prometheus text. @param health - what rests now. */
  text(health: readonly Health[]): string {
    const counted = [...this.#counts.values()];
    const failures = counted.flatMap(({ labels, failures }) =>
      [...failures].map(([reason, value]) => ({ labels: { ...labels, reason }, value })),
    );
    const rests = [...this.#rests.values()].map(({ count, ...labels }) => ({ labels, value: count }));
    return [
      metricText(
        ATTEMPTS,
        counted.map(({ labels, attempts }) => ({ labels: { ...labels }, value: attempts })),
      ),
      metricText(FAILURES, failures),
      metricText(RESTS, rests),
      metricText(RESTING, this.#resting(health)),
      this.translationText(),
    ].join("");
  }

  /** Credentials with the same provider and model are added up. */
  #resting(health: readonly Health[]): Iterable<Sample> {
    const resting = new Map<string, { readonly labels: { provider: string; model: string }; value: number }>();
    for (const { provider, model, state } of health) {
      if (state !== "resting") continue;
      const labels = { provider, model: this.#modelOf(provider, model) };
      const key = JSON.stringify(labels);
      const known = resting.get(key) ?? { labels, value: 0 };
      known.value++;
      resting.set(key, known);
    }
    return resting.values();
  }

  /** Translation time as a Prometheus summary without quantiles. */
  translationText(): string {
    const samples = [...this.#counts.values()].flatMap(({ labels, translations, translationSeconds }) => {
      if (translations === 0) return [];
      return [
        { suffix: "_sum", labels: { ...labels }, value: translationSeconds },
        { suffix: "_count", labels: { ...labels }, value: translations },
      ];
    });
    const help = "Time spent on translating a request and its response.";
    return metricText({ name: "weir_gateway_translation_seconds", help, type: "summary" }, samples);
  }

  #of(candidate: Candidate): Counts {
    const known = this.#known.get(candidate);
    if (known !== undefined) return known;
    const { provider, model, route } = labelsOf(candidate);
    const label = this.#modelOf(provider, model);
    const counts = this.#find({ provider, model: label, route });
    if (counts.labels.model === model) this.#known.set(candidate, counts);
    return counts;
  }

  #find(labels: Labels): Counts {
    const key = JSON.stringify([labels.provider, labels.model, labels.route]);
    const found = this.#counts.get(key);
    if (found !== undefined) return found;
    if (this.#counts.size >= SETS_MAX && labels.model !== OTHER) return this.#find({ ...labels, model: OTHER });
    const counts = { labels, attempts: 0, failures: new Map(), translations: 0, translationSeconds: 0 };
    this.#counts.set(key, counts);
    return counts;
  }

  #modelOf(provider: string, model: string | null): string {
    if (model === null) return "";
    return this.#models.has(`${provider}/${model}`) ? model : OTHER;
  }
}

function labelsOf({ target, model }: Candidate): Labels {
  return { provider: target.provider.name, model, route: target.route ?? "" };
}

/** The metric label of a failure: `429`, `4xx`, `5xx`, or its kind. */
export function reasonOf({ kind, status }: Failure): string {
  if (kind !== "status") return kind;
  return status === 429 ? "429" : `${Math.floor(status / 100)}xx`;
}
