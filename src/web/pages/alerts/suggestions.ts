import type { FilterTree } from "../../filter/tree.ts";
import { LOCAL_ZONE } from "../../parts/window.ts";
import { isScore, METRICS } from "./alert-text.ts";
import type { AlertBody } from "./shapes.ts";

const LEAST = {
  filter: "all",
  group_by: [],
  minimum_requests: 0,
  cooldown_seconds: 300,
  calendar: null,
  time_zone: null,
  channels: [],
  enabled: true,
} as const;
const HOUR = 3_600;

/** Alerts that most installations want. The numbers are starting points: the form shows them before anything is stored. */
export const SUGGESTIONS: readonly AlertBody[] = [
  {
    ...LEAST,
    name: "Spend in a day",
    metric: "cost",
    comparison: "above",
    threshold: 10,
    window_seconds: 24 * HOUR,
    calendar: "day",
    time_zone: LOCAL_ZONE,
  },
  {
    ...LEAST,
    name: "80% of a monthly budget of $100",
    metric: "cost",
    comparison: "above",
    threshold: 80,
    window_seconds: 31 * 24 * HOUR,
    calendar: "month",
    time_zone: LOCAL_ZONE,
  },
  {
    ...LEAST,
    name: "Error rate",
    metric: "error_rate",
    comparison: "above",
    threshold: 0.05,
    window_seconds: 300,
    minimum_requests: 20,
    group_by: ["model"],
  },
  {
    ...LEAST,
    name: "Slow responses",
    metric: "latency_p95",
    comparison: "above",
    threshold: 30_000,
    window_seconds: 900,
    minimum_requests: 20,
  },
  { ...LEAST, name: "No traffic", metric: "requests", comparison: "below", threshold: 1, window_seconds: HOUR },
];

/** The alert whose form a link opens: converts whatever the link holds into valid values. */
export function readDraft(draft: Readonly<Record<string, unknown>>): AlertBody {
  const { name, metric, comparison, threshold, window_seconds, filter, group_by } = draft;
  const isTree = (typeof filter === "object" && filter !== null) || filter === "all";
  return {
    ...LEAST,
    name: typeof name === "string" ? name.slice(0, 200) : "",
    metric: typeof metric === "string" && (Object.hasOwn(METRICS, metric) || isScore(metric)) ? metric : "error_rate",
    comparison: comparison === "below" ? comparison : "above",
    threshold: typeof threshold === "number" ? threshold : 0,
    window_seconds: Number.isSafeInteger(window_seconds) ? (window_seconds as number) : 300,
    filter: isTree ? (filter as FilterTree) : "all",
    group_by: Array.isArray(group_by) ? group_by.filter((each) => typeof each === "string") : [],
  };
}
