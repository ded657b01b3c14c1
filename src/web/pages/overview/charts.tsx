import { CacheCharts } from "../../charts/cache-charts.tsx";
import { ChartCard } from "../../charts/chart-card.tsx";
import { and, type FilterTree } from "../../filter/tree.ts";
import { ofGroup } from "../../metrics/filter.ts";
import type { Span } from "../../metrics/range.ts";
import { useOpenRequests } from "../../metrics/use-open-requests.ts";
import { chartsOf } from "./chart-list.tsx";
import type { OverviewMetrics } from "./use-metrics.ts";

interface ChartsProps {
  readonly metrics: OverviewMetrics;
  readonly filter: FilterTree;
  readonly by: string | undefined;
  readonly span: Span;
  readonly onZoom: (span: Span) => void;
}

/** All charts over time. A bar, or a name in a legend, links to its requests. */
export function Charts({ metrics, filter, by, span, onZoom }: ChartsProps) {
  const { bucket, times, cache } = metrics;
  const { open, openBucket } = useOpenRequests(span, times, bucket);
  return (
    <div className="chart-grid">
      {chartsOf(metrics, by).map(({ title, figure, series, node, ...drawn }) => (
        <ChartCard
          key={title}
          title={title}
          figure={figure}
          plotted={series && { times, bucket, series, ...drawn }}
          onZoom={onZoom}
          onOpen={openBucket(and(filter, node))}
          onOpenSeries={(at) => {
            const group = series?.[at]?.group;
            if (by !== undefined && group !== undefined) open(span, and(filter, ofGroup(by, group), node));
          }}
        />
      ))}
      <CacheCharts
        times={times}
        bucket={bucket}
        rows={cache}
        onZoom={onZoom}
        openOf={(leaf) => openBucket(and(filter, leaf))}
      />
    </div>
  );
}
