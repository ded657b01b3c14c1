import { type FilterLeaf, leaf } from "../filter/tree.ts";
import { formatAxisMoney } from "../metrics/format.ts";
import type { CacheRow } from "../metrics/queries.ts";
import type { Bucket, Span } from "../metrics/range.ts";
import { formatCompact } from "../parts/format.ts";
import { Counted, Money } from "../parts/values.tsx";
import { ChartCard } from "./chart-card.tsx";

/** Indexes into the palette: cache hits stand out from misses. */
const GREEN = 2;
const GREY = 7;

interface CacheChartsProps {
  readonly times: readonly number[];
  readonly bucket: Bucket;
  readonly rows: readonly CacheRow[] | undefined;
  /** For a filter: opens the matching requests of a bucket, by its index. */
  readonly openOf: (leaf: FilterLeaf) => (at: number) => void;
  readonly onZoom: (span: Span) => void;
}

/** Cache requests and savings over time. */
export function CacheCharts({ times, bucket, rows, openOf, onZoom }: CacheChartsProps) {
  const byTime = new Map(rows?.map((row) => [Date.parse(row.time), row]));
  const layer = (name: string, pick: (row: CacheRow) => number) => ({
    name,
    values: times.map((time) => {
      const row = byTime.get(time);
      return row === undefined ? 0 : pick(row);
    }),
  });
  const layers = [layer("Hits", ({ hits }) => hits), layer("Misses", ({ misses }) => misses)];
  const saved = [layer("Saved", ({ saved_cost }) => saved_cost)];
  const shared = { times, bucket, kind: "bars" } as const;
  return (
    <>
      <ChartCard
        title="Cache"
        figure={<Counted of={rows?.reduce((sum, { hits }) => sum + hits, 0)} one="hit" />}
        plotted={rows && { ...shared, format: formatCompact, isWhole: true, colours: [GREEN, GREY], series: layers }}
        onZoom={onZoom}
        onOpen={openOf(leaf("cache_enabled", { equals: true }))}
      />
      <ChartCard
        title="Saved by the cache"
        figure={<Money of={rows?.reduce((sum, { saved_cost }) => sum + saved_cost, 0)} />}
        plotted={rows && { ...shared, format: formatAxisMoney, colours: [GREEN], series: saved }}
        onZoom={onZoom}
        onOpen={openOf(leaf("cached", { equals: true }))}
      />
    </>
  );
}
