import type { ReactNode } from "react";
import type { Plotted } from "../../charts/plot.ts";
import type { FilterTree } from "../../filter/tree.ts";
import { ERRORS, REFUSED } from "../../metrics/filter.ts";
import { formatAxisDuration, formatAxisMoney, formatPercent } from "../../metrics/format.ts";
import { groupName } from "../../metrics/links.tsx";
import { align, layers, type MetricsRow, type Series } from "../../metrics/series.ts";
import { formatCompact } from "../../parts/format.ts";
import { Count, Duration, Money } from "../../parts/values.tsx";
import { errorKinds } from "./error-kinds.ts";
import { NOT_RIGHT, type OverviewMetrics } from "./use-metrics.ts";

/** One chart of the page. */
interface Chart extends Pick<Plotted, "kind" | "format" | "colours" | "isWhole"> {
  readonly title: string;
  /** The value for the complete span. */
  readonly figure: ReactNode;
  /** Undefined while loading. */
  readonly series: readonly Series[] | undefined;
  /** The requests that the chart covers, if not all. */
  readonly node?: FilterTree;
}

type Measure = (row: MetricsRow) => number | null;

/** Index into the palette. */
const RED = 4;
const PERCENTILES = ["p50", "p90", "p95", "p99"] as const;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table: the charts of the page
export function chartsOf(metrics: OverviewMetrics, by: string | undefined): Chart[] {
  const { totals, times, whole } = metrics;
  const bars = (title: string, measure: Measure) => sums(metrics, by, title, measure);
  const errorRate = whole && [{ name: "Error rate", values: align(times, whole, (row) => row.error_rate, null) }];
  const kinds = metrics.kinds && errorKinds(times, metrics.kinds);
  const alone = by === undefined ? { colours: [RED] } : {};
  return [
    {
      title: "Cost",
      kind: "bars",
      format: formatAxisMoney,
      figure: <Money of={totals?.cost} />,
      series: bars("Cost", ({ cost }) => cost),
    },
    {
      title: "Requests",
      kind: "bars",
      format: formatCompact,
      isWhole: true,
      figure: <Count of={totals?.requests} />,
      series: bars("Requests", ({ requests }) => requests),
    },
    {
      title: "Tokens",
      kind: "bars",
      format: formatCompact,
      isWhole: true,
      figure: <Count of={totals?.total_tokens} short />,
      series: tokens(metrics, by),
    },
    {
      title: by === undefined ? "Latency" : "Latency, p95",
      kind: "lines",
      format: formatAxisDuration,
      figure: (
        <>
          <Duration of={totals?.latency_p95} />
          {by === undefined ? " at p95" : null}
        </>
      ),
      series: latency(metrics, by),
    },
    {
      title: "Time to first token",
      kind: "lines",
      format: formatAxisDuration,
      figure: (
        <>
          <Duration of={totals?.time_to_first_token_p95 ?? null} /> at p95
        </>
      ),
      series: pair(metrics, "time_to_first_token"),
    },
    {
      title: "Tokens per second",
      kind: "lines",
      format: formatCompact,
      figure: `${formatCompact(totals?.tokens_per_second_p50 ?? null)} at p50`,
      series: pair(metrics, "tokens_per_second"),
    },
    {
      title: "Errors",
      kind: "bars",
      format: formatCompact,
      isWhole: true,
      figure: <Count of={totals?.errors} />,
      series: bars("Errors", ({ errors }) => errors),
      node: ERRORS,
      ...alone,
    },
    {
      title: "Errors by kind",
      kind: "bars",
      format: formatCompact,
      isWhole: true,
      figure: <Count of={totals && totals.errors + totals.refused} />,
      series: kinds?.series,
      colours: kinds?.colours ?? [],
      node: NOT_RIGHT,
    },
    {
      title: "Error rate",
      kind: "lines",
      format: formatPercent,
      figure: formatPercent(totals?.error_rate ?? null),
      series: errorRate,
      node: ERRORS,
      colours: [RED],
    },
    {
      title: "Refused",
      kind: "bars",
      format: formatCompact,
      isWhole: true,
      figure: <Count of={totals?.refused} />,
      series: bars("Refused", ({ refused }) => refused),
      node: REFUSED,
    },
  ];
}

/** Bars of sums: by group if the page is split. */
function sums({ times, whole, split }: OverviewMetrics, by: string | undefined, title: string, measure: Measure) {
  if (whole === undefined) return undefined;
  if (by === undefined) return [{ name: title, values: align(times, whole, measure, 0) }];
  return split === undefined
    ? undefined
    : layers(times, whole, split, { measure, nameOf: (group) => groupName(by, group) });
}

function tokens(metrics: OverviewMetrics, by: string | undefined): Series[] | undefined {
  if (by !== undefined) return sums(metrics, by, "Tokens", (row) => row.total_tokens);
  const { times, whole } = metrics;
  return (
    whole && [
      { name: "Input", values: align(times, whole, (row) => row.prompt_tokens, 0) },
      { name: "Output", values: align(times, whole, (row) => row.completion_tokens, 0) },
    ]
  );
}

/** Of streams; buckets without one are gaps. */
function pair(
  { times, whole }: OverviewMetrics,
  name: "time_to_first_token" | "tokens_per_second",
): Series[] | undefined {
  return (
    whole &&
    (["p50", "p95"] as const).map((rank) => ({
      name: rank,
      values: align(times, whole, (row) => row[`${name}_${rank}`] ?? null, null),
    }))
  );
}

/** Percentiles cannot be summed: with groups, each has its own line for one percentile. */
function latency({ times, whole, split }: OverviewMetrics, by: string | undefined): Series[] | undefined {
  if (by === undefined) {
    const lineOf = (name: (typeof PERCENTILES)[number]) => ({
      name,
      values: whole === undefined ? [] : align(times, whole, (row) => row[`latency_${name}`], null),
    });
    return whole && PERCENTILES.map(lineOf);
  }
  if (split === undefined) return undefined;
  const rows = Map.groupBy(split.rows, (row) => row[split.key] ?? null);
  return split.groups.map((group) => ({
    name: groupName(by, group),
    group,
    values: align(times, rows.get(group.value) ?? [], (row) => row.latency_p95, null),
  }));
}
