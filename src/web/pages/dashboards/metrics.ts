import { formatAxisDuration, formatAxisMoney, formatPercent } from "../../metrics/format.ts";
import { type MetricsRow, share } from "../../metrics/series.ts";
import { formatCompact, formatCount, formatDuration, formatMoney, UNKNOWN } from "../../parts/format.ts";
import { scoreTitle } from "../../parts/score-name.ts";
import type { NamedMetric, PanelMetric, Threshold } from "./shapes.ts";

type Unit = "count" | "dollars" | "percent" | "ms" | "rate" | "score";

/** The metrics of panels, with their units; in addition there are means of scores, as `score:<Name>`. */
export const METRICS: Readonly<Record<NamedMetric, readonly [label: string, unit: Unit]>> = {
  requests: ["Requests", "count"],
  cost: ["Cost", "dollars"],
  total_tokens: ["Tokens", "count"],
  prompt_tokens: ["Input tokens", "count"],
  completion_tokens: ["Output tokens", "count"],
  errors: ["Errors", "count"],
  error_rate: ["Error rate", "percent"],
  refused: ["Refused requests", "count"],
  refusal_rate: ["Refusal rate", "percent"],
  cache_hits: ["Cache hits", "count"],
  cache_hit_rate: ["Cache hit rate", "percent"],
  latency_avg: ["Latency, mean", "ms"],
  latency_p50: ["Latency, median", "ms"],
  latency_p90: ["Latency, p90", "ms"],
  latency_p95: ["Latency, p95", "ms"],
  latency_p99: ["Latency, p99", "ms"],
  time_to_first_token_p50: ["Time to first token, median", "ms"],
  time_to_first_token_p95: ["Time to first token, p95", "ms"],
  tokens_per_second_p50: ["Tokens per second, median", "rate"],
  tokens_per_second_p95: ["Tokens per second, p95", "rate"],
};

export const SCORE = "score:";
export const isScore = (metric: PanelMetric): metric is `score:${string}` => metric.startsWith(SCORE);
export const scoreOf = (metric: PanelMetric): string => metric.slice(SCORE.length);

export const labelOf = (metric: PanelMetric): string =>
  isScore(metric) ? scoreTitle(scoreOf(metric)) : METRICS[metric][0];
export const unitOf = (metric: PanelMetric): Unit => (isScore(metric) ? "score" : METRICS[metric][1]);

/** Whether values of several groups, or times, can be summed. */
export const isSum = (metric: PanelMetric): boolean => ["count", "dollars"].includes(unitOf(metric));
export const isWhole = (metric: PanelMetric): boolean => unitOf(metric) === "count";

type Format = (value: number | null) => string;
const FORMATS: Readonly<Record<Unit, { readonly full: Format; readonly short: Format }>> = {
  count: { full: formatCount, short: formatCompact },
  dollars: { full: formatMoney, short: formatAxisMoney },
  percent: { full: formatPercent, short: formatPercent },
  ms: { full: formatDuration, short: formatAxisDuration },
  rate: { full: formatCompact, short: formatCompact },
  score: { full: formatScore, short: formatScore },
};

function formatScore(value: number | null): string {
  return value === null ? UNKNOWN : String(Number(value.toPrecision(3)));
}

export const formatValue = (metric: PanelMetric, value: number | null): string => FORMATS[unitOf(metric)].full(value);
/** The format of an axis. */
export const axisFormat = (metric: PanelMetric): Format => FORMATS[unitOf(metric)].short;

interface Score {
  /** Requests that have it. */
  readonly count: number;
  readonly mean: number | null;
}

function scoreIn(row: MetricsRow, metric: PanelMetric): Score | undefined {
  const { scores } = row as { readonly scores?: Readonly<Record<string, Score>> };
  return scores?.[scoreOf(metric)];
}

/** How many requests of a row have a score. */
export const scoredIn = (row: MetricsRow, metric: PanelMetric): number => scoreIn(row, metric)?.count ?? 0;

/** The value of a metric in a row of the API; null without a measurement. */
export function metricOf(row: MetricsRow, metric: PanelMetric): number | null {
  if (metric === "refusal_rate") return share(row.refused, row.requests);
  if (metric === "cache_hit_rate") return share(row.cache_hits, row.requests);
  if (isScore(metric)) return scoreIn(row, metric)?.mean ?? null;
  const value = row[metric];
  return typeof value === "number" ? value : null;
}

/** What the API must measure for these metrics: latencies and speeds take most of the time. */
export function measured(metrics: readonly PanelMetric[]) {
  const scores = metrics.filter(isScore).map(scoreOf);
  return {
    latencies: metrics.some((name) => name.startsWith("latency_")),
    speeds: metrics.some((name) => /^(?:time_to_first_token|tokens_per_second)_/.test(name)),
    ...(scores.length === 0 ? {} : { scores }),
  };
}

const SEVERITY = ["bad", "warn", "good"] as const;
export type Tone = (typeof SEVERITY)[number];

/** The colour of a value: that of the most severe threshold it exceeds. */
export function toneOf(value: number | null, thresholds: readonly Threshold[]): Tone | undefined {
  if (value === null) return undefined;
  const beyond = thresholds.filter((each) => (each.comparison === "above" ? value > each.value : value < each.value));
  return SEVERITY.find((tone) => beyond.some(({ colour }) => colour === tone));
}

/** `above $5`. */
export const thresholdText = (metric: PanelMetric, { comparison, value }: Threshold): string =>
  `${comparison} ${formatValue(metric, value)}`;
