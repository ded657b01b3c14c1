import { useQuery } from "@tanstack/react-query";
import { and, type FilterNode, ofGroup, or, within } from "../../metrics/filter.ts";
import { cacheSeriesQuery, metricsQuery } from "../../metrics/queries.ts";
import { bucketOf, bucketTimes, type Span, spanBefore } from "../../metrics/range.ts";
import { type Group, type MetricsRow, topGroups } from "../../metrics/series.ts";

/** Groups that are looked at for which are the greatest. */
const GROUPS_MAX = 1_000;

/** All that the page shows of a span, each part as soon as it is there. */
export function useFigures(span: Span, by: string | undefined, filter: FilterNode) {
  const bucket = bucketOf(span);
  const asked = and(filter, within(span));
  const totals = useQuery(metricsQuery({ filter: asked, limit: 1 }));
  const before = useQuery(metricsQuery({ filter: and(filter, within(spanBefore(span))), limit: 1 }));
  const whole = useQuery(metricsQuery({ filter: asked, time_bucket: bucket }));
  const cache = useQuery(cacheSeriesQuery(asked, bucket));
  const split = useSplit(asked, by, bucket);
  const all = [totals, before, whole, cache, ...split.queries];
  return {
    bucket,
    times: bucketTimes(span, bucket),
    totals: totals.data?.[0],
    before: before.data?.[0],
    whole: whole.data,
    cache: cache.data,
    split: split.split,
    error: all.find(({ error }) => error !== null)?.error ?? null,
    retry: () => {
      for (const each of all) if (each.error !== null) void each.refetch();
    },
  };
}

export type Figures = ReturnType<typeof useFigures>;

export interface SplitRows {
  readonly key: string;
  readonly groups: readonly Group[];
  readonly rows: readonly MetricsRow[];
}

/** First which groups matter, then their figures over time: there may be more groups than an answer holds. */
function useSplit(asked: FilterNode, by: string | undefined, bucket: ReturnType<typeof bucketOf>) {
  const isSplit = by !== undefined;
  const key = by ?? "model";
  const totals = useQuery({
    ...metricsQuery({ filter: asked, group_by: [key], limit: GROUPS_MAX }),
    enabled: isSplit,
  });
  const groups = totals.data === undefined ? [] : topGroups(totals.data, key, ({ cost }) => cost);
  const filter = and(asked, or(...groups.map((group) => ofGroup(key, group))));
  const series = useQuery({
    ...metricsQuery({ filter, group_by: [key], time_bucket: bucket }),
    enabled: isSplit && groups.length > 0,
  });
  const rows = groups.length === 0 && totals.data !== undefined ? [] : series.data;
  const split: SplitRows | undefined = isSplit && rows !== undefined ? { key, groups, rows } : undefined;
  return { split, queries: [totals, series] };
}
