interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram" | "summary";
}

export type Labels = Readonly<Record<string, string | number>>;

/** One value of a metric. */
export interface Sample {
  /** Appended to the metric's name, such as `_sum`. */
  readonly suffix?: string;
  readonly labels?: Labels;
  readonly value: number;
}

/** Observations by size. `counts` are per bucket, not cumulative; the last one counts values above all bounds. */
export interface Distribution {
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
  readonly sum: number;
}

/** A metric in Prometheus text format. */
export function metricText({ name, help, type }: Metric, samples: Iterable<Sample>): string {
  const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
  for (const { suffix = "", labels = {}, value } of samples) {
    lines.push(`${name}${suffix}${labelText(labels)} ${value === Number.POSITIVE_INFINITY ? "+Inf" : value}`);
  }
  return `${lines.join("\n")}\n`;
}

/** A distribution as histogram samples: cumulative buckets, the sum and the count. */
export function histogramSamples({ bounds, counts, sum }: Distribution, labels: Labels = {}): readonly Sample[] {
  let total = 0;
  const buckets = counts.map((count, at) => {
    total += count;
    return { suffix: "_bucket", labels: { ...labels, le: bounds[at] ?? "+Inf" }, value: total };
  });
  return [...buckets, { suffix: "_sum", labels, value: sum }, { suffix: "_count", labels, value: total }];
}

function labelText(labels: Labels): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value))}"`);
  return parts.length === 0 ? "" : `{${parts.join(",")}}`;
}

function escaped(text: string): string {
  return text.replace(/[\\"\n]/g, (one) => (one === "\n" ? "\\n" : `\\${one}`));
}
