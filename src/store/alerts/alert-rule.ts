import { type Static, Type } from "@sinclair/typebox";
import { GatewayError } from "../../errors.ts";
import { decodeFilter } from "../../filter/decode.ts";
import { readGroups } from "../../filter/read-groups.ts";
import { hint, quote } from "../../filter/spelling.ts";
import type { Json } from "../../plugin-host/contract.ts";
import { beginningOf, CALENDARS, type Calendar, isTimeZone } from "../../record/calendar.ts";
import { CHANNEL_SCHEMA, type ChannelBody, type ChannelChecks, checkChannels } from "./channels.ts";

/** A row of metrics: columns by name. */
type Metrics = Readonly<Record<string, Json>>;

/** Measured for streamed responses only, and only when requested. */
const SPEEDS = [
  "time_to_first_token_p50",
  "time_to_first_token_p95",
  "tokens_per_second_p50",
  "tokens_per_second_p95",
] as const;
export const isSpeed = (metric: string): boolean => SPEEDS.some((name) => name === metric);

const column = (name: string) => (row: Metrics) => (typeof row[name] === "number" ? row[name] : null);
const share = (name: string) => (row: Metrics) => (row["requests"] > 0 ? row[name] / row["requests"] : null);

/**
 * Metrics that an alert can watch, besides mean scores, and how to compute them from a row; null when nothing was measured. A
 * rate is a fraction from 0 to 1.
 */
const ALERT_METRICS: Readonly<Record<string, (row: Metrics) => number | null>> = {
  ...Object.fromEntries(
    [
      ...[
        "requests",
        "errors",
        "error_rate",
        "refused",
        "cache_hits",
        "cost",
        "prompt_tokens",
        "completion_tokens",
        "total_tokens",
      ],
      ...["latency_avg", "latency_p50", "latency_p90", "latency_p95", "latency_p99"],
      ...SPEEDS,
    ].map((name) => [name, column(name)]),
  ),
  refusal_rate: share("refused"),
  cache_hit_rate: share("cache_hits"),
};

/** The score's name in the metric `score:<Name>`. */
export const scoreOf = (metric: string): string | undefined => /^score:(.+)$/s.exec(metric)?.[1];

/** Returns a function that reads a metric from a row; undefined for an unknown metric. */
export function alertMetric(metric: string): ((row: Metrics) => number | null) | undefined {
  const score = scoreOf(metric);
  if (score !== undefined) return (row) => row["scores"]?.[score]?.mean ?? null;
  return Object.hasOwn(ALERT_METRICS, metric) ? ALERT_METRICS[metric] : undefined;
}

const DAY_SECONDS = 86_400;
const CHANNELS_MAX = 10;

const name = { minLength: 1, maxLength: 200 };
export const ALERT_SCHEMA = Type.Object(
  {
    name: Type.String(name),
    metric: Type.String({
      maxLength: 300,
      description: `One of ${Object.keys(ALERT_METRICS).join(", ")}, score:<Name>.`,
    }),
    comparison: Type.String({ description: "above or below; the threshold itself is neither." }),
    threshold: Type.Number({ description: "Dollars, milliseconds, tokens or a count; a rate is a share from 0 to 1." }),
    window_seconds: Type.Optional(
      Type.Integer({
        minimum: 10,
        maximum: 31 * DAY_SECONDS,
        description: "How far back the metric looks at every check. Needed unless `calendar` is given.",
      }),
    ),
    calendar: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: `${CALENDARS.join(", ")}: the metric counts from the beginning of it, in place of a sliding window.`,
      }),
    ),
    time_zone: Type.Optional(
      Type.Union([Type.String({ maxLength: 100 }), Type.Null()], {
        description: "Whose calendar it is, such as Europe/Berlin; default: UTC.",
      }),
    ),
    filter: Type.Optional(Type.Unknown({ description: 'As in queries; default: "all".' })),
    group_by: Type.Optional(
      Type.Array(Type.String(), {
        description: "model, provider, user, status, outcome, session, property:<Name>: each value triggers by itself.",
      }),
    ),
    minimum_requests: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 1_000_000_000, description: "With fewer in the window nothing triggers." }),
    ),
    cooldown_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 31 * DAY_SECONDS,
        description: "How long the condition must be over before it is resolved; default: 300.",
      }),
    ),
    channels: Type.Optional(
      Type.Array(CHANNEL_SCHEMA, {
        maxItems: CHANNELS_MAX,
        description: "Who is notified. Without one the alert is only shown.",
      }),
    ),
    enabled: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);

/** As received. */
export type AlertBody = Static<typeof ALERT_SCHEMA>;

/** Validated and complete, except that channels get their ids and secrets when they are stored. */
export interface AlertRule extends Omit<Required<AlertBody>, "comparison" | "calendar" | "time_zone" | "channels"> {
  readonly channels: readonly ChannelBody[];
  readonly comparison: "above" | "below";
  /** Null for a sliding window, which has no time zone either. */
  readonly calendar: Calendar | null;
  readonly time_zone: string | null;
}

/** The maximum length of a day, week or month, for clients that read only `window_seconds`. */
const CALENDAR_SECONDS: Readonly<Record<Calendar, number>> = {
  day: DAY_SECONDS,
  week: 7 * DAY_SECONDS,
  month: 31 * DAY_SECONDS,
};

/**
 * Converts a body of the right shape to a rule.
 *
 * @throws GatewayError `invalid_body` or `filter_invalid` that names the wrong field.
 */
export function readAlertRule(body: AlertBody, checks: ChannelChecks): AlertRule {
  const { metric, comparison, threshold, filter = "all", channels = [] } = body;
  const metrics = [...Object.keys(ALERT_METRICS), "score:<Name>"];
  if (alertMetric(metric) === undefined)
    throw wrong("metric", `there is no metric ${quote(metric)}; ${hint(metric, metrics)}`);
  if (comparison !== "above" && comparison !== "below") {
    throw wrong("comparison", `${quote(comparison)} is no comparison; ${hint(comparison, ["above", "below"])}`);
  }
  if (!Number.isFinite(threshold)) throw wrong("threshold", "give a finite number");
  if (metric.endsWith("_rate") && (threshold < 0 || threshold > 1)) {
    throw wrong("threshold", `${metric} is a share: give a number from 0 to 1, such as 0.05 for 5 %`);
  }
  decodeFilter(filter, "legacy");
  checkChannels(channels, checks);
  return {
    name: body.name,
    metric,
    comparison,
    threshold,
    ...readWindow(body),
    filter,
    group_by: [...readGroups(body.group_by ?? [])],
    minimum_requests: body.minimum_requests ?? 0,
    cooldown_seconds: body.cooldown_seconds ?? 300,
    channels,
    enabled: body.enabled ?? true,
  };
}

function readWindow({ window_seconds, calendar = null, time_zone = null }: AlertBody) {
  if (calendar === null) {
    if (window_seconds === undefined) throw wrong("window_seconds", "give window_seconds, or a calendar");
    if (time_zone !== null) throw wrong("time_zone", "only a calendar has a time zone; a sliding window has none");
    return { window_seconds, calendar, time_zone };
  }
  if (!isCalendar(calendar)) throw wrong("calendar", `${quote(calendar)} is no calendar; ${hint(calendar, CALENDARS)}`);
  const zone = time_zone ?? "UTC";
  if (!isTimeZone(zone)) throw wrong("time_zone", `${quote(zone)} is no time zone; give a name such as Europe/Berlin`);
  return { window_seconds: CALENDAR_SECONDS[calendar], calendar, time_zone: zone };
}

const isCalendar = (name: string): name is Calendar => (CALENDARS as readonly string[]).includes(name);

/** Start of the window that a check covers, in milliseconds since 1970. */
export function windowStart({ calendar, time_zone, window_seconds }: AlertRule, now: number): number {
  if (calendar === null) return now - window_seconds * 1_000;
  return beginningOf(calendar, now, time_zone ?? "UTC");
}

function wrong(path: string, message: string): GatewayError {
  return new GatewayError("invalid_body", `${path}: ${message}`, { path });
}
