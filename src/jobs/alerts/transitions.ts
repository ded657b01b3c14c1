import type { Json } from "../../plugin-host/contract.ts";
import { alertMetric } from "../../store/alerts/alert-rule.ts";
import type { Alert, Firing, Group } from "../../store/alerts/alerts.ts";

/** One group's metrics, in the form that `metrics` returns. */
type Metrics = Readonly<Record<string, Json>>;

/** A check's result for one group. */
export interface Transition {
  /** `hold`: it keeps firing. */
  readonly to: "triggered" | "resolved" | "hold";
  readonly group: Group;
  readonly value: number | null;
  readonly requests: number;
  readonly reason: string;
  /** Undefined if it was not firing before. */
  readonly firing: Firing | undefined;
}

/** The metrics of a group without requests in the window. */
const NOTHING: Metrics = {
  requests: 0,
  errors: 0,
  refused: 0,
  cache_hits: 0,
  cost: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  total_tokens: 0,
};

/** A group as it is stored and compared: names in the order of the alert's `group_by`. */
const groupKey = (group: Group): string => JSON.stringify(group);

/**
 * The state changes of a check. An unknown value, such as the cost of requests without a price, is on neither side of a
 * threshold. A group that is no longer over the threshold keeps firing until the cool-down has passed.
 *
 * @param rows - one row per group with requests in the window; without groups, a single row for all requests.
 */
export function transitions(
  alert: Alert,
  rows: readonly Metrics[],
  firing: readonly Firing[],
  now: number,
): readonly Transition[] {
  const before = new Map(firing.map((each) => [groupKey(each.group), each]));
  const changes: Transition[] = [];
  const judge = (group: Group, metrics: Metrics) => {
    const known = before.get(groupKey(group));
    before.delete(groupKey(group));
    const change = judgeGroup(alert, { group, metrics, firing: known }, now);
    if (change !== undefined) changes.push(change);
  };
  if (!alert.enabled) return firing.map((each) => resolved(each, "the alert was switched off"));
  for (const row of rows) judge(Object.fromEntries(alert.group_by.map((name) => [name, row[name] ?? null])), row);
  const names = alert.group_by.join("\n");
  for (const each of before.values()) {
    if (Object.keys(each.group).join("\n") !== names) changes.push(resolved(each, "the alert has other groups now"));
    else judge(each.group, NOTHING);
  }
  return changes;
}

interface Judged {
  readonly group: Group;
  readonly metrics: Metrics;
  readonly firing: Firing | undefined;
}

function judgeGroup(alert: Alert, { group, metrics, firing }: Judged, now: number): Transition | undefined {
  const value = alertMetric(alert.metric)?.(metrics) ?? null;
  const requests = Number(metrics["requests"]);
  // The error rate excludes refused requests, so enough other requests are needed.
  const counted = alert.metric === "error_rate" ? requests - Number(metrics["refused"]) : requests;
  const isOver = value !== null && (alert.comparison === "above" ? value > alert.threshold : value < alert.threshold);
  const change = { group, value, requests, firing };
  if (isOver && counted >= alert.minimum_requests) {
    if (firing !== undefined) return { ...change, to: "hold", reason: "" };
    return { ...change, to: "triggered", reason: `${alert.metric} is ${alert.comparison} ${alert.threshold}` };
  }
  // The clock was set back: the cool-down restarts.
  if (firing !== undefined && firing.held_at > now) return { ...change, to: "hold", reason: "" };
  if (firing === undefined || now - firing.held_at < alert.cooldown_seconds * 1_000) return undefined;
  const why =
    isOver || counted < alert.minimum_requests
      ? "there are too few requests"
      : "the metric is within its threshold again";
  return { ...change, to: "resolved", reason: why };
}

function resolved(firing: Firing, reason: string): Transition {
  return { to: "resolved", group: firing.group, value: null, requests: 0, reason, firing };
}
