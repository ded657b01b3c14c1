import { serviceNow } from "../clock.ts";

const SPANS_MS = {
  "15m": 15 * 60_000,
  "1h": 3_600_000,
  "6h": 6 * 3_600_000,
  "24h": 86_400_000,
  "7d": 7 * 86_400_000,
  "30d": 30 * 86_400_000,
  "90d": 90 * 86_400_000,
} as const;

export type Span = keyof typeof SPANS_MS;

export const SPAN_LABELS: Readonly<Record<Span | "all", string>> = {
  "15m": "Last 15 minutes",
  "1h": "Last hour",
  "6h": "Last 6 hours",
  "24h": "Last 24 hours",
  "7d": "Last 7 days",
  "30d": "Last 30 days",
  "90d": "Last 90 days",
  all: "All time",
};

/** The time range in an address: a span that ends now, or fixed moments (ISO 8601), either of which may be open. */
export interface TimeSearch {
  readonly range?: Span | "all" | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Converts any query of a link into a time range; invalid members are left out. */
export function readTimeSearch(search: Readonly<Record<string, unknown>>): TimeSearch {
  const { range, from, to } = search;
  const moment = (value: unknown) =>
    typeof value === "string" && !Number.isNaN(Date.parse(value)) ? new Date(value).toISOString() : undefined;
  return {
    ...(typeof range === "string" && Object.hasOwn(SPAN_LABELS, range) ? { range: range as Span | "all" } : {}),
    ...(moment(from) === undefined ? {} : { from: moment(from) }),
    ...(moment(to) === undefined ? {} : { to: moment(to) }),
  };
}

/** The current moments of a time range; a span is rounded to ten seconds, so that repeated queries are equal. */
export function momentsOf(time: TimeSearch, fallback: Span | "all" = "all", now = serviceNow()) {
  if (time.from !== undefined || time.to !== undefined) return { from: time.from, to: time.to };
  const range = time.range ?? fallback;
  if (range === "all") return { from: undefined, to: undefined };
  const step = 10_000;
  return { from: new Date(Math.floor(now / step) * step - SPANS_MS[range]).toISOString(), to: undefined };
}

/** The value of a browser's date-and-time input: local time, to the second, without a zone. Empty for an invalid time. */
export function localMoment(iso: string | undefined): string {
  const time = Date.parse(iso ?? "");
  if (Number.isNaN(time)) return "";
  return new Date(time - new Date(time).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** The value of such an input as ISO 8601; empty while it is invalid. */
export function isoMoment(local: string): string {
  const time = Date.parse(local);
  return Number.isNaN(time) ? "" : new Date(time).toISOString();
}
