import { useNavigate } from "@tanstack/react-router";
import { ChartCard } from "../../charts/chart-card.tsx";
import type { Plotted } from "../../charts/plot.ts";
import { and, type FilterNode, leaf, ofGroup } from "../../metrics/filter.ts";
import { formatAxisMoney, formatPercent } from "../../metrics/format.ts";
import { groupName, isoSpan } from "../../metrics/links.tsx";
import { spanOfBucket } from "../../metrics/range.ts";
import { align, layers, type MetricsRow, type Series, share } from "../../metrics/series.ts";
import { formatCompact, formatDuration } from "../../parts/format.ts";
import { Count, Duration, Money } from "../../parts/values.tsx";
import type { Figures } from "./use-figures.ts";

interface ChartsProps {
  readonly figures: Figures;
  readonly filter: FilterNode;
  readonly by: string | undefined;
  readonly span: { readonly from: number; readonly to: number };
}

type Measure = (row: MetricsRow) => number | null;

/** All that is shown over time. A bar, or a name in a legend, leads to its requests. */
export function Charts({ figures, filter, by, span }: ChartsProps) {
  const navigate = useNavigate();
  const { bucket, times, whole, cache, split, totals } = figures;
  const go = (from: number, to: number, node: FilterNode) =>
    void navigate({
      to: "/requests",
      search: { ...isoSpan({ from, to }), ...(node === "all" ? {} : { filter: node }) },
    });
  const openTime = (node: FilterNode) => (at: number) => {
    const { from, to } = spanOfBucket(times[at]!, bucket);
    go(Math.max(from, span.from), Math.min(to, span.to), node);
  };
  const plot = (kind: Plotted["kind"], format: Plotted["format"], series: readonly Series[] | undefined) =>
    series === undefined ? undefined : { times, bucket, kind, format, series };
  /** Bars of sums: by group where the page is split. */
  const bars = (name: string, measure: Measure): Series[] | undefined => {
    if (whole === undefined) return undefined;
    if (by === undefined) return [{ name, values: align(times, whole, measure, 0) }];
    return split === undefined ? undefined : layers(times, whole, split, measure, (group) => groupName(by, group));
  };
  const tokens =
    by !== undefined
      ? bars("Tokens", (row) => row.total_tokens)
      : whole && [
          { name: "Input", values: align(times, whole, (row) => row.prompt_tokens, 0) },
          { name: "Output", values: align(times, whole, (row) => row.completion_tokens, 0) },
        ];
  const cacheLayer = (name: string, values: Map<number, number>) => ({
    name,
    values: times.map((time) => values.get(time) ?? 0),
  });
  const cacheSeries = (pick: (row: NonNullable<Figures["cache"]>[number]) => number) =>
    new Map(cache?.map((row) => [Date.parse(row.time), pick(row)]));
  const openGroup = (series: readonly Series[] | undefined, more?: FilterNode) => (at: number) => {
    const group = series?.[at]?.group;
    if (by !== undefined && group !== undefined) go(span.from, span.to, and(filter, ofGroup(by, group), more));
  };
  const errors = leaf("status", { gte: 400 });
  const charts = [
    {
      title: "Cost",
      figure: <Money of={totals?.cost} />,
      format: formatAxisMoney,
      series: bars("Cost", (row) => row.cost),
    },
    {
      title: "Requests",
      figure: <Count of={totals?.requests} />,
      format: formatCompact,
      series: bars("Requests", (row) => row.requests),
    },
    { title: "Tokens", figure: <Count of={totals?.total_tokens} short />, format: formatCompact, series: tokens },
    {
      title: "Errors",
      figure: <Count of={totals?.errors} />,
      format: formatCompact,
      series: bars("Errors", (row) => row.errors),
      node: errors,
    },
  ];
  return (
    <div className="chart-grid">
      {charts.map(({ title, figure, format, series, node }) => (
        <ChartCard
          key={title}
          title={title}
          figure={figure}
          plotted={plot("bars", format, series)}
          onOpen={openTime(and(filter, node))}
          onOpenSeries={openGroup(series, node)}
        />
      ))}
      <ChartCard
        title={by === undefined ? "Latency" : "Latency, p95"}
        figure={<Duration of={totals?.latency_p95} />}
        plotted={plot("lines", formatDuration, latency(figures, by))}
        onOpen={openTime(filter)}
        onOpenSeries={openGroup(latency(figures, by))}
      />
      <ChartCard
        title="Error rate"
        figure={formatPercent(totals && share(totals.errors, totals.requests))}
        plotted={plot(
          "lines",
          formatPercent,
          whole && [
            { name: "Error rate", values: align(times, whole, (row) => share(row.errors, row.requests), null) },
          ],
        )}
        onOpen={openTime(and(filter, errors))}
      />
      <ChartCard
        title="Cache"
        figure={<Count of={cache?.reduce((sum, { hits }) => sum + hits, 0)} />}
        plotted={plot(
          "bars",
          formatCompact,
          cache && [
            cacheLayer(
              "Hits",
              cacheSeries(({ hits }) => hits),
            ),
            cacheLayer(
              "Misses",
              cacheSeries(({ misses }) => misses),
            ),
          ],
        )}
        onOpen={openTime(and(filter, leaf("cache_enabled", { equals: true })))}
      />
      <ChartCard
        title="Saved by the cache"
        figure={<Money of={cache?.reduce((sum, { saved_cost }) => sum + saved_cost, 0)} />}
        plotted={plot(
          "bars",
          formatAxisMoney,
          cache && [
            cacheLayer(
              "Saved",
              cacheSeries(({ saved_cost }) => saved_cost),
            ),
          ],
        )}
        onOpen={openTime(and(filter, leaf("cached", { equals: true })))}
      />
    </div>
  );
}

const PERCENTILES = ["p50", "p90", "p95", "p99"] as const;

/** Percentiles cannot be added up: of several groups each has its own line of one of them. */
function latency({ times, whole, split }: Figures, by: string | undefined): Series[] | undefined {
  if (by === undefined) {
    return (
      whole && PERCENTILES.map((name) => ({ name, values: align(times, whole, (row) => row[`latency_${name}`], null) }))
    );
  }
  if (split === undefined) return undefined;
  const rows = Map.groupBy(split.rows, (row) => row[split.key] ?? null);
  return split.groups.map((group) => ({
    name: groupName(by, group),
    group,
    values: align(times, rows.get(group.value) ?? [], (row) => row.latency_p95, null),
  }));
}
