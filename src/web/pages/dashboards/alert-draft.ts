import type { FilterTree } from "../../filter/tree.ts";
import { BUCKET_MS, bucketOf, type Span } from "../../metrics/range.ts";
import type { AlertBody } from "../alerts/shapes.ts";
import { labelOf, unitOf } from "./metrics.ts";
import type { Panel } from "./shapes.ts";

/** Windows of alerts, in seconds. */
const WINDOW_MIN = 300;
const WINDOW_MAX = 31 * 86_400;
/** Initial thresholds for panels without one. */
const BEGINNINGS = { count: 100, dollars: 10, percent: 0.05, ms: 30_000, rate: 10, score: 0.5 } as const;

/** The members of an alert that a panel determines. */
type AlertDraft = Pick<
  AlertBody,
  "name" | "metric" | "comparison" | "threshold" | "window_seconds" | "filter" | "group_by"
>;

/**
 * An alert on what a panel shows. Its window is the time that one value of the panel covers: a bar or a point, or the
 * complete span of a number or a table.
 */
export function alertOf(
  { title, kind, metrics, split_by, thresholds }: Panel,
  span: Span,
  filter: FilterTree,
): AlertDraft {
  const metric = metrics[0]!;
  const threshold = thresholds.find(({ colour }) => colour === "bad") ?? thresholds[0];
  const isOverTime = kind === "line" || kind === "bar" || (kind === "heatmap" && split_by.length === 1);
  const ms = isOverTime ? BUCKET_MS[bucketOf(span)] : span.to - span.from;
  return {
    name: title.toLowerCase().includes(labelOf(metric).toLowerCase()) ? title : `${title}: ${labelOf(metric)}`,
    metric,
    comparison: threshold?.comparison ?? (["rate", "score"].includes(unitOf(metric)) ? "below" : "above"),
    threshold: threshold?.value ?? BEGINNINGS[unitOf(metric)],
    window_seconds: Math.max(WINDOW_MIN, Math.min(WINDOW_MAX, Math.round(ms / 1_000))),
    filter,
    group_by: split_by,
  };
}
