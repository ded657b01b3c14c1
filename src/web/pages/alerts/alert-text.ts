import type { Group } from "../../../store/alerts/alerts.ts";
import { formatPercent } from "../../metrics/format.ts";
import type { Tone } from "../../parts/badge.tsx";
import { formatCount, formatDuration, formatMoney, UNKNOWN } from "../../parts/format.ts";
import { spanText, type Window } from "../../parts/window.ts";
import type { AlertBody, AlertRow, Channel } from "./shapes.ts";

/** The metrics of alerts, and the units of their thresholds. */
export const METRICS: Readonly<Record<string, readonly [label: string, unit: "count" | "dollars" | "ms" | "percent"]>> =
  {
    error_rate: ["Error rate", "percent"],
    errors: ["Errors", "count"],
    refused: ["Refused requests", "count"],
    refusal_rate: ["Refusal rate", "percent"],
    requests: ["Requests", "count"],
    cost: ["Cost", "dollars"],
    latency_p50: ["Latency, median", "ms"],
    latency_p90: ["Latency, p90", "ms"],
    latency_p95: ["Latency, p95", "ms"],
    latency_p99: ["Latency, p99", "ms"],
    latency_avg: ["Latency, mean", "ms"],
    total_tokens: ["Tokens", "count"],
    prompt_tokens: ["Input tokens", "count"],
    completion_tokens: ["Output tokens", "count"],
    cache_hits: ["Cache hits", "count"],
    cache_hit_rate: ["Cache hit rate", "percent"],
    time_to_first_token_p50: ["Time to first token, median", "ms"],
    time_to_first_token_p95: ["Time to first token, p95", "ms"],
    tokens_per_second_p50: ["Tokens per second, median", "count"],
    tokens_per_second_p95: ["Tokens per second, p95", "count"],
  };

/** Whether the metric is the mean of a score, `score:<Name>`. */
export const isScore = (metric: string): boolean => /^score:./s.test(metric);

export const metricLabel = (metric: string): string =>
  METRICS[metric]?.[0] ?? (isScore(metric) ? `Score ${metric.slice(metric.indexOf(":") + 1)}` : metric);

export const unitOf = (metric: string) => METRICS[metric]?.[1] ?? "count";

export function valueText(metric: string, value: number | null): string {
  if (value === null) return UNKNOWN;
  if (isScore(metric)) return String(Number(value.toPrecision(3)));
  const unit = unitOf(metric);
  if (unit === "percent") return formatPercent(value);
  if (unit === "dollars") return formatMoney(value);
  return unit === "ms" ? formatDuration(value) : formatCount(value);
}

/** `Error rate above 5% within 5 minutes`. */
export function conditionText(alert: Pick<AlertBody, "metric" | "comparison" | "threshold"> & Window): string {
  const { metric, comparison, threshold } = alert;
  return `${metricLabel(metric)} ${comparison} ${valueText(metric, threshold)} ${alert.calendar === null ? "within" : "in"} ${spanText(alert)}`;
}

/** The types of channels, and the member that holds each one's destination. */
export const CHANNELS: Readonly<Record<Channel["type"], ChannelWords>> = {
  webhook: { label: "Webhook", target: "url", targetLabel: "Address", placeholder: "https://" },
  email: { label: "E-mail", target: "to", targetLabel: "Address", placeholder: "ops@example.com" },
  slack: {
    label: "Slack",
    target: "url",
    targetLabel: "Webhook address",
    placeholder: "https://hooks.slack.com/services/…",
  },
  teams: { label: "Microsoft Teams", target: "url", targetLabel: "Workflow address", placeholder: "https://" },
  discord: {
    label: "Discord",
    target: "url",
    targetLabel: "Webhook address",
    placeholder: "https://discord.com/api/webhooks/…",
  },
  pagerduty: {
    label: "PagerDuty",
    target: "routing_key",
    targetLabel: "Integration key",
    placeholder: "32 characters",
  },
  opsgenie: { label: "Opsgenie", target: "api_key", targetLabel: "API key", placeholder: "" },
};

interface ChannelWords {
  readonly label: string;
  readonly target: "url" | "to" | "routing_key" | "api_key";
  readonly targetLabel: string;
  readonly placeholder: string;
}

/** `Slack https://hooks.slack.com/…abcd` */
export function channelText(channel: Channel): string {
  const { label, target } = CHANNELS[channel.type];
  return `${label} ${channel.address ?? channel[target] ?? ""}`.trim();
}

/** `model gpt-4o, user ada`; empty for an alert without groups. */
export function groupText(group: Group): string {
  const parts = Object.entries(group).map(([name, value]) => `${name.replace(/^property:/, "")} ${value ?? "none"}`);
  return parts.join(", ");
}

export function stateOf({ state, error, checked_at }: AlertRow): { readonly text: string; readonly tone: Tone } {
  if (state === "firing") return { text: "firing", tone: "bad" };
  if (state === "disabled") return { text: "off", tone: "plain" };
  if (checked_at === null && error === null) return { text: "not checked yet", tone: "plain" };
  return error === null ? { text: "ok", tone: "good" } : { text: "cannot be checked", tone: "warn" };
}
