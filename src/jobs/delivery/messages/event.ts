import { createHash } from "node:crypto";
import type { Json } from "../../../plugin-host/contract.ts";

/** The text of an alert's event, for every channel. */
export interface AlertMessage {
  readonly kind: "triggered" | "resolved" | "test";
  /** `failures: triggered (model gpt-4o)` */
  readonly title: string;
  /** One sentence. */
  readonly text: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** The counted requests, in the dashboard. */
  readonly link: string | undefined;
  /** ISO 8601. */
  readonly time: string;
  /** The same for triggering and resolving: `<alert>:<group>`, at most 64 characters. */
  readonly key: string;
  readonly alertName: string;
  readonly payload: Json;
}

/** @param payload - as `alertPayload` makes it, with `requests_url` if known. */
export function messageOf(payload: Json): AlertMessage {
  const { metric, comparison, threshold, value, requests, timestamp, triggered_at, requests_url } = payload;
  const kind = String(payload.type).replace("alert.", "") as AlertMessage["kind"];
  const group = Object.entries(payload.group ?? {}).map(([name, each]) => `${name} ${each ?? "(none)"}`);
  const of = group.length === 0 ? "" : ` (${group.join(", ")})`;
  const within = payload.calendar ? `this ${payload.calendar}` : `in the last ${spanOf(payload.window_seconds)}`;
  return {
    kind,
    title: `${payload.name}: ${kind}${of}`,
    text:
      kind === "test"
        ? "This is a test. Nothing has happened."
        : `${metric} is ${valueText(metric, value)}, of ${requests} requests ${within}.`,
    facts: [
      ["Condition", `${metric} ${comparison} ${valueText(metric, threshold)}`],
      ...(triggered_at === null ? [] : [["Since", String(triggered_at)] as const]),
      ...(kind === "triggered" ? [] : [["Reason", String(payload.reason)] as const]),
    ],
    link: requests_url,
    time: timestamp,
    key: `${payload.alert_id}:${createHash("sha256").update(JSON.stringify(payload.group)).digest("hex").slice(0, 16)}`,
    alertName: payload.name,
    payload,
  };
}

/** A value in the unit of its metric: `$5`, `12%`, `340 ms`. */
function valueText(metric: string, value: number | null): string {
  if (value === null) return "not known";
  const plain = (number: number) => String(Number(number.toPrecision(6)));
  if (metric === "cost") return `$${plain(value)}`;
  if (metric.endsWith("_rate")) return `${plain(value * 100)}%`;
  return /^(?:latency|time_to_first_token)_/.test(metric) ? `${plain(value)} ms` : plain(value);
}

const UNITS = [
  ["days", 86_400],
  ["hours", 3_600],
  ["minutes", 60],
] as const;

/** In the largest unit in which the span is an integer. */
function spanOf(seconds: number): string {
  const [name, size] = UNITS.find(([, each]) => seconds % each === 0 && seconds > each) ?? ["seconds", 1];
  return `${seconds / size} ${name}`;
}

/** At most this many characters; a truncated text ends in an ellipsis. Never splits a character. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const end = max - 1;
  const isHalf = /[\uD800-\uDBFF]/.test(text[end - 1] ?? "");
  return `${text.slice(0, isHalf ? end - 1 : end)}…`;
}
