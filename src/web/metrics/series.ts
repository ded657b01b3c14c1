/** One row of the API's metrics. */
export interface MetricsRow {
  readonly time?: string;
  readonly requests: number;
  readonly errors: number;
  /** By the gateway itself: these are not errors. */
  readonly refused: number;
  /** Of the requests that were not refused; null if there are none. */
  readonly error_rate: number | null;
  readonly cache_hits: number;
  /** US dollars; null if no request's cost is known. */
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
  /** Milliseconds, and tokens per second after the first; only for streams, and if requested. */
  readonly time_to_first_token_p50?: number | null;
  readonly time_to_first_token_p95?: number | null;
  readonly tokens_per_second_p50?: number | null;
  readonly tokens_per_second_p95?: number | null;
  /** The names that rows are grouped by. */
  readonly [group: string]: string | number | null | undefined;
}

/** One line or one layer of a chart; null is a gap. */
export interface Series {
  readonly name: string;
  /** The group of this layer's rows; undefined for a layer that is not a group. */
  readonly group?: Group;
  readonly values: readonly (number | null)[];
}

/** The value of a group; `null` means requests without one. */
export interface Group {
  readonly value: string | number | null;
}

/** Groups that a chart shows separately; more could not be distinguished. */
const GROUPS_SHOWN = 7;

type Measure = (row: MetricsRow) => number | null;

/** Assigns rows to their buckets; buckets without a row get `empty`. */
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

/** The groups with the highest rank, highest first. */
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

interface Split {
  readonly key: string;
  readonly groups: readonly Group[];
  /** Rows of these groups by bucket. */
  readonly rows: readonly MetricsRow[];
}

/** Layers of sums: each group, and the remainder of the total. */
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
    // Sums of fractions drift: a tiny remainder is 0.
    return left < 1e-9 * Math.abs(total ?? 0) ? 0 : left;
  });
  return rest.some((value) => value > 0) ? [...shown, { name: "Other", values: rest }] : shown;
}

/** The values that a stacked chart draws: each layer on top of those before it. */
export function stacked(series: readonly Series[]): (number | null)[][] {
  const sums: number[] = [];
  return series.map(({ values }) =>
    values.map((value, at) => {
      sums[at] = (sums[at] ?? 0) + (value ?? 0);
      return sums[at]!;
    }),
  );
}

/** A share from 0 to 1; null if the total is 0 or unknown. */
export function share(part: number | null, whole: number | null): number | null {
  return part === null || whole === null || whole === 0 ? null : part / whole;
}

/** The relative change from `before` to `now`; null if it is undefined. */
export function change(now: number | null, before: number | null): number | null {
  return now === null || before === null || before === 0 ? null : (now - before) / before;
}

/** The span before is comparable if the current one has at most this many times its requests. */
const COMPARABLE = 10;

/** Compared with a span almost without requests, every change would seem large. */
export const isComparable = (now: MetricsRow, before: MetricsRow): boolean =>
  before.requests * COMPARABLE > now.requests;
