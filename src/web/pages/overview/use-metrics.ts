import { useQuery } from "@tanstack/react-query";
import { and, type FilterTree, or } from "../../filter/tree.ts";
import { ERRORS, ofGroup, REFUSED, within } from "../../metrics/filter.ts";
import { cacheSeriesQuery, metricsQuery } from "../../metrics/queries.ts";
import { type Bucket, bucketOf, bucketTimes, type Span, spanBefore } from "../../metrics/range.ts";
import { type Group, type MetricsRow, topGroups } from "../../metrics/series.ts";

/** Groups that are compared to find the highest. */
const GROUPS_MAX = 1_000;

/** Errors, and requests that Weir refused. */
export const NOT_RIGHT = or(ERRORS, REFUSED);

/** All data of the page for a span; each part appears as soon as it is loaded. */
export function useOverviewMetrics(span: Span, by: string | undefined, filter: FilterTree) {
  const bucket = bucketOf(span);
  const scope = and(filter, within(span));
  const question = JSON.stringify([filter, span.to - span.from, by]);
  const totals = useQuery(metricsQuery({ filter: scope, limit: 1, speeds: true }, `totals ${question}`));
  const before = useQuery(
    metricsQuery({ filter: and(filter, within(spanBefore(span))), limit: 1 }, `before ${question}`),
  );
  const whole = useQuery(metricsQuery({ filter: scope, time_bucket: bucket, speeds: true }, `whole ${question}`));
  const cache = useQuery(cacheSeriesQuery(scope, bucket, question));
  const wrong = {
    filter: and(scope, NOT_RIGHT),
    group_by: ["outcome", "status"],
    time_bucket: bucket,
    latencies: false,
  };
  const kinds = useQuery(metricsQuery(wrong, `kinds ${question}`));
  const split = useSplit({ scope, by, bucket, question });
  const all = [totals, before, whole, cache, kinds, ...split.queries];
  return {
    bucket,
    times: bucketTimes(span, bucket),
    totals: totals.data?.[0],
    before: before.data?.[0],
    whole: whole.data,
    cache: cache.data,
    kinds: kinds.data,
    split: split.split,
    error: all.find(({ error }) => error !== null)?.error ?? null,
    retry: () => {
      for (const each of all) if (each.error !== null) void each.refetch();
    },
  };
}

export type OverviewMetrics = ReturnType<typeof useOverviewMetrics>;

interface SplitRows {
  readonly key: string;
  readonly groups: readonly Group[];
  readonly rows: readonly MetricsRow[];
}

interface SplitQuestion {
  readonly scope: FilterTree;
  readonly by: string | undefined;
  readonly bucket: Bucket;
  readonly question: string;
}

/** First the highest groups, then their metrics over time: there may be more groups than one response can hold. */
function useSplit({ scope, by, bucket, question }: SplitQuestion) {
  const isSplit = by !== undefined;
  const key = by ?? "model";
  const totals = useQuery({
    ...metricsQuery({ filter: scope, group_by: [key], limit: GROUPS_MAX }, `groups ${question}`),
    enabled: isSplit,
  });
  const groups = totals.data === undefined ? [] : topGroups(totals.data, key, ({ cost }) => cost);
  const filter = and(scope, or(...groups.map((group) => ofGroup(key, group))));
  const series = useQuery({
    ...metricsQuery({ filter, group_by: [key], time_bucket: bucket }, `series ${question}`),
    enabled: isSplit && groups.length > 0,
  });
  const rows = groups.length === 0 && totals.data !== undefined ? [] : series.data;
  const split: SplitRows | undefined = isSplit && rows !== undefined ? { key, groups, rows } : undefined;
  return { split, queries: [totals, series] };
}
