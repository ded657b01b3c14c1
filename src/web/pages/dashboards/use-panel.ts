import { useQuery } from "@tanstack/react-query";
import { and, type FilterTree, or } from "../../filter/tree.ts";
import { within } from "../../metrics/filter.ts";
import { metricsQuery } from "../../metrics/queries.ts";
import { BUCKET_MS, type Bucket, bucketOf, bucketTimes, type Span, spanBefore } from "../../metrics/range.ts";
import { align, type Group, layers, type MetricsRow, type Series, topGroups } from "../../metrics/series.ts";
import { filterOf, GROUP, grouped, nameOf, rankOf } from "./groups.ts";
import { isSum, labelOf, measured, metricOf } from "./metrics.ts";
import type { Panel } from "./shapes.ts";

/** Groups that are compared to find the highest. */
const GROUPS_MAX = 1_000;
/** Cells in a row of a heat map, at most: narrower ones cannot be pointed at. */
const CELLS_MAX = 60;

/** The query of one panel: its own filter and the dashboard's, over a span. */
export interface PanelQuestion {
  readonly panel: Panel;
  readonly span: Span;
  /** The dashboard's and the panel's. */
  readonly filter: FilterTree;
}

interface QueryState {
  readonly error: Error | null;
  readonly isFetched: boolean;
  readonly refetch: () => unknown;
}

/** Common to all: the first failure, and a retry. */
function outcome(...all: readonly QueryState[]) {
  return {
    error: all.find(({ error }) => error !== null)?.error ?? null,
    retry: () => {
      for (const each of all) if (each.error !== null) void each.refetch();
    },
  };
}

const questionOf = ({ panel, span, filter }: PanelQuestion, what: string) =>
  JSON.stringify([what, filter, span.to - span.from, panel.metrics, panel.split_by, panel.groups]);

/** A value, and the value of the span of the same length before. */
export function useNumber(question: PanelQuestion) {
  const { panel, span, filter } = question;
  const needs = measured(panel.metrics);
  const of = (part: Span, what: string) =>
    metricsQuery({ filter: and(filter, within(part)), limit: 1, ...needs }, questionOf(question, what));
  const now = useQuery(of(span, "now"));
  const before = useQuery(of(spanBefore(span), "before"));
  return { now: now.data?.[0], before: before.data?.[0], ...outcome(now, before) };
}

/** The highest groups, with their metrics over the complete span. */
export function useGroups(question: PanelQuestion, isEnabled = true) {
  const { panel, span, filter } = question;
  const { split_by, metrics, groups } = panel;
  const ranked = rankOf(metrics[0]!);
  const query = useQuery({
    ...metricsQuery(
      { filter: and(filter, within(span)), group_by: split_by, limit: GROUPS_MAX, ...measured(metrics) },
      questionOf(question, "groups"),
    ),
    enabled: isEnabled,
  });
  const rows = query.data && grouped(query.data, split_by);
  const top = rows && topGroups(rows, GROUP, ranked, groups);
  const byGroup = new Map(rows?.map((row) => [row[GROUP], row]));
  return { top, rows: top?.map(({ value }) => byGroup.get(value!)!), ...outcome(query) };
}

/** Values over time: in total, or a series for each group. */
export function useSeries(question: PanelQuestion) {
  const { panel, span, filter } = question;
  const { split_by, metrics, kind } = panel;
  const [metric] = metrics as [Panel["metrics"][number]];
  const isSplit = split_by.length > 0;
  const bucket = kind === "heatmap" ? coarser(span) : bucketOf(span);
  const times = bucketTimes(span, bucket);
  const inSpan = and(filter, within(span));
  const needs = measured(metrics);
  const { top, ...groups } = useGroups(question, isSplit);
  // The remainder is drawn only if values are summed and stacked.
  const hasRest = kind === "bar" && isSum(metric);
  const whole = useQuery({
    ...metricsQuery({ filter: inSpan, time_bucket: bucket, ...needs }, questionOf(question, `whole ${bucket}`)),
    enabled: !isSplit || hasRest,
  });
  const split = useQuery({
    ...metricsQuery(
      {
        filter: and(inSpan, or(...(top ?? []).map((group) => filterOf(split_by, group)))),
        group_by: split_by,
        time_bucket: bucket,
        ...needs,
      },
      questionOf(question, `split ${bucket}`),
    ),
    enabled: isSplit && top !== undefined && top.length > 0,
  });
  const empty = kind === "line" || !isSum(metric) ? null : 0;
  const series = (): readonly Series[] | undefined => {
    if (!isSplit)
      return (
        whole.data &&
        metrics.map((name) => ({
          name: labelOf(name),
          values: align(times, whole.data, (row) => metricOf(row, name), empty),
        }))
      );
    const rows = top?.length === 0 ? [] : split.data && grouped(split.data, split_by);
    if (top === undefined || rows === undefined) return undefined;
    const measure = (row: MetricsRow) => metricOf(row, metric);
    const name = (group: Group) => nameOf(split_by, group);
    if (hasRest)
      return whole.data && layers(times, whole.data, { key: GROUP, groups: top, rows }, { measure, nameOf: name });
    const byGroup = Map.groupBy(rows, (row) => row[GROUP]);
    return top.map((group) => ({
      ...{ name: name(group), group },
      values: align(times, byGroup.get(group.value!) ?? [], measure, empty),
    }));
  };
  const failed = outcome(whole, split);
  return {
    ...{ bucket, times, series: series() },
    error: groups.error ?? failed.error,
    retry: () => {
      if (groups.error !== null) groups.retry();
      failed.retry();
    },
  };
}

/** The finest bucket whose cells are wide enough. */
function coarser({ from, to }: Span): Bucket {
  const fine = (Object.keys(BUCKET_MS) as Bucket[]).find((bucket) => (to - from) / BUCKET_MS[bucket] <= CELLS_MAX);
  return fine ?? "day";
}

/** Values by two dimensions: the highest groups of each, and a row for each pair. */
export function usePairs(question: PanelQuestion) {
  const { panel, span, filter } = question;
  const { split_by, metrics, groups } = panel;
  const query = useQuery(
    metricsQuery(
      { filter: and(filter, within(span)), group_by: split_by, limit: 10_000, ...measured(metrics) },
      questionOf(question, "pairs"),
    ),
  );
  const rank = rankOf(metrics[0]!);
  /** Sums over the other dimension are enough to find the highest groups. */
  const greatest = (key: string): Group[] => {
    const sums = new Map<Group["value"], number>();
    for (const row of query.data ?? []) {
      const value = row[key] ?? null;
      sums.set(value, (sums.get(value) ?? 0) + (rank(row) ?? 0));
    }
    return [...sums]
      .sort((a, b) => b[1] - a[1])
      .slice(0, groups)
      .map(([value]) => ({ value }));
  };
  const [down, across] = split_by as readonly [string, string];
  return { rows: query.data, down: greatest(down), across: greatest(across), ...outcome(query) };
}
