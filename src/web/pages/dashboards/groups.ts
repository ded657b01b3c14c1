import { and, type FilterTree } from "../../filter/tree.ts";
import { ofGroup } from "../../metrics/filter.ts";
import { groupName } from "../../metrics/links.tsx";
import type { Group, MetricsRow } from "../../metrics/series.ts";
import { isScore, isSum, metricOf, scoredIn } from "./metrics.ts";
import type { PanelMetric } from "./shapes.ts";

/** A row's groups in all dimensions are one name here, so that one or two are drawn alike. */
export const GROUP = "group";

/** @param split - the names that rows were grouped by. */
export const grouped = (rows: readonly MetricsRow[], split: readonly string[]): MetricsRow[] =>
  rows.map((row) => ({ ...row, [GROUP]: JSON.stringify(split.map((name) => row[name] ?? null)) }));

const valuesIn = ({ value }: Group) => JSON.parse(String(value)) as readonly (string | number | null)[];

/** `gpt-4o · 200`. */
export const nameOf = (split: readonly string[], group: Group): string =>
  valuesIn(group)
    .map((value, at) => groupName(split[at]!, { value }))
    .join(" · ");

/** The requests of a group. */
export const filterOf = (split: readonly string[], group: Group): FilterTree =>
  and(...valuesIn(group).map((value, at) => ofGroup(split[at]!, { value })));

/**
 * By which groups are the greatest: what can be added up, by itself; of rates and times the most requests say most, of
 * a score those that have it.
 */
export const rankOf =
  (metric: PanelMetric) =>
  (row: MetricsRow): number | null =>
    isScore(metric) ? scoredIn(row, metric) : isSum(metric) ? metricOf(row, metric) : row.requests;
