import { and, type FilterTree } from "../../filter/tree.ts";
import { ofGroup } from "../../metrics/filter.ts";
import { groupName } from "../../metrics/links.tsx";
import type { Group, MetricsRow } from "../../metrics/series.ts";
import { isScore, isSum, metricOf, scoredIn } from "./metrics.ts";
import type { PanelMetric } from "./shapes.ts";

/** The groups of a row in all dimensions become one name, so that one or two dimensions are drawn alike. */
export const GROUP = "group";

/** @param split - the names that rows are grouped by. */
export const grouped = (rows: readonly MetricsRow[], split: readonly string[]): MetricsRow[] =>
  rows.map((row) => ({ ...row, [GROUP]: JSON.stringify(split.map((name) => row[name] ?? null)) }));

const valuesIn = ({ value }: Group) => JSON.parse(String(value)) as readonly (string | number | null)[];

/** `gpt-4o · 200`. */
export const nameOf = (split: readonly string[], group: Group): string =>
  valuesIn(group)
    .map((value, at) => groupName(split[at]!, { value }))
    .join(" · ");

/** A filter for the requests of a group. */
export const filterOf = (split: readonly string[], group: Group): FilterTree =>
  and(...valuesIn(group).map((value, at) => ofGroup(split[at]!, { value })));

/**
 * The rank of a group: the value itself for metrics that can be summed; the number of requests for rates and times; for a
 * score, the number of requests that have it.
 */
export const rankOf =
  (metric: PanelMetric) =>
  (row: MetricsRow): number | null =>
    isScore(metric) ? scoredIn(row, metric) : isSum(metric) ? metricOf(row, metric) : row.requests;
