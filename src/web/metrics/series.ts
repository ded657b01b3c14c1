/** One row of the API's metrics. */
export interface MetricsRow {
  readonly time?: string;
  readonly requests: number;
  readonly errors: number;
  /** By the gateway itself: these are no errors. */
  readonly refused: number;
  /** Of the requests that were not refused; null where there are none. */
  readonly error_rate: number | null;
  readonly cache_hits: number;
  /** US dollars; null where no request's cost is known. */
  readonly cost: number | null;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly total_tokens: number | null;
  /** Milliseconds. */
  readonly latency_avg: number | null;
  readonly latency_p50: number | null;
  readonly latency_p90: number | null;
  readonly latency_p95: number | null;
  readonly latency_p99: number | null;
  /** Milliseconds, and tokens a second behind the first: of streams, where they were asked for. */
  readonly time_to_first_token_p50?: number | null;
  readonly time_to_first_token_p95?: number | null;
  readonly tokens_per_second_p50?: number | null;
  readonly tokens_per_second_p95?: number | null;
  /** The names that rows were grouped by. */
  readonly [group: string]: string | number | null | undefined;
}

/** One line or one layer of a chart; a null is a gap. */
export interface Series {
  readonly name: string;
  /** What rows of this layer are grouped under; undefined for a layer that is no group. */
  readonly group?: Group;
  readonly values: readonly (number | null)[];
}

/** The value of a group; `null` stands for requests without one. */
export interface Group {
  readonly value: string | number | null;
}

/** Groups that a chart shows by themselves; more would not be told apart. */
const GROUPS_SHOWN = 7;

type Measure = (row: MetricsRow) => number | null;

/** Puts rows of one bucket each into their places; buckets without a row hold `empty`. */
export function align(
  times: readonly number[],
  rows: readonly MetricsRow[],
  measure: Measure,
  empty: number | null,
): (number | null)[] {
  const byTime = new Map(rows.map((row) => [Date.parse(row.time ?? ""), row]));
  return times.map((time) => {
    const row = byTime.get(time);
    return row === undefined ? empty : (measure(row) ?? empty);
  });
}

/** The groups that matter most, the greatest first. */
export function topGroups(
  rows: readonly MetricsRow[],
  key: string,
  measure: Measure,
  count: number = GROUPS_SHOWN,
): Group[] {
  return [...rows]
    .sort((a, b) => (measure(b) ?? 0) - (measure(a) ?? 0) || b.requests - a.requests)
    .slice(0, count)
    .map((row) => ({ value: row[key] ?? null }));
}

export interface Split {
  readonly key: string;
  readonly groups: readonly Group[];
  /** Rows of these groups by bucket. */
  readonly rows: readonly MetricsRow[];
}

/** Layers of sums: each group, and what is left of the whole. */
export function layers(
  times: readonly number[],
  whole: readonly MetricsRow[],
  split: Split,
  { measure, nameOf }: { readonly measure: Measure; readonly nameOf: (group: Group) => string },
): Series[] {
  const byGroup = Map.groupBy(split.rows, (row) => row[split.key] ?? null);
  const shown = split.groups.map((group) => ({
    name: nameOf(group),
    group,
    values: align(times, byGroup.get(group.value) ?? [], measure, 0),
  }));
  const rest = align(times, whole, measure, 0).map((total, at) => {
    const left = (total ?? 0) - shown.reduce((sum, { values }) => sum + (values[at] ?? 0), 0);
    // Sums of fractions drift: what is left of nothing is nothing.
    return left < 1e-9 * Math.abs(total ?? 0) ? 0 : left;
  });
  return rest.some((value) => value > 0) ? [...shown, { name: "Other", values: rest }] : shown;
}

/** What a chart of layers draws: each layer on top of those before it. */
export function stacked(series: readonly Series[]): (number | null)[][] {
  const sums: number[] = [];
  return series.map(({ values }) =>
    values.map((value, at) => {
      sums[at] = (sums[at] ?? 0) + (value ?? 0);
      return sums[at]!;
    }),
  );
}

/** A share from 0 to 1, or null of nothing. */
export function share(part: number | null, whole: number | null): number | null {
  return part === null || whole === null || whole === 0 ? null : part / whole;
}

/** How much a figure changed against another, as a fraction of that; null where that says nothing. */
export function change(now: number | null, before: number | null): number | null {
  return now === null || before === null || before === 0 ? null : (now - before) / before;
}
