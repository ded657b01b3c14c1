import type { PanelRange } from "../../store/dashboards.ts";
import { serviceNow } from "../clock.ts";
import { LOCALE } from "./format.ts";

const SPANS_MS = {
  "15m": 15 * 60_000,
  "1h": 3_600_000,
  "6h": 6 * 3_600_000,
  "24h": 86_400_000,
  "7d": 7 * 86_400_000,
  "30d": 30 * 86_400_000,
  "90d": 90 * 86_400_000,
} as const;

/** Start and end of calendar periods in the reader's time zone, with weeks that begin on Monday. An open end is now. */
const PERIODS = {
  today: (now: Date) => ({ from: midnight(now, 0), to: undefined }),
  yesterday: (now: Date) => ({ from: midnight(now, -1), to: midnight(now, 0) }),
  "this-week": (now: Date) => ({ from: monday(now, 0), to: undefined }),
  "last-week": (now: Date) => ({ from: monday(now, -1), to: monday(now, 0) }),
  "this-month": (now: Date) => ({ from: firstOfMonth(now, 0), to: undefined }),
  "last-month": (now: Date) => ({ from: firstOfMonth(now, -1), to: firstOfMonth(now, 0) }),
} as const;

const midnight = (now: Date, days: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days);

const monday = (now: Date, weeks: number) => midnight(now, 7 * weeks - ((now.getDay() + 6) % 7));

const firstOfMonth = (now: Date, months: number) => new Date(now.getFullYear(), now.getMonth() + months, 1);

/** A span that ends now, a calendar period, or all. */
export type Range = PanelRange;

export const RANGE_LABELS: Readonly<Record<Range, string>> = {
  "15m": "Last 15 minutes",
  "1h": "Last hour",
  "6h": "Last 6 hours",
  "24h": "Last 24 hours",
  "7d": "Last 7 days",
  "30d": "Last 30 days",
  "90d": "Last 90 days",
  today: "Today",
  yesterday: "Yesterday",
  "this-week": "This week",
  "last-week": "Last week",
  "this-month": "This month",
  "last-month": "Last month",
  all: "All time",
};

const days = new Intl.DateTimeFormat(LOCALE, { month: "short", day: "numeric" });

/** The days of a calendar period, such as `Nov 16 – 22`; undefined for other ranges. */
export function daysOf(range: Range, now = serviceNow()): string | undefined {
  if (!isPeriod(range)) return undefined;
  const { from, to } = PERIODS[range](new Date(now));
  return days.formatRange(from, to === undefined ? now : to.getTime() - 1);
}

const isPeriod = (range: string): range is keyof typeof PERIODS => Object.hasOwn(PERIODS, range);

/** The time range in an address: a named range, or fixed moments (ISO 8601), either of which may be open. */
export interface TimeSearch {
  readonly range?: Range | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Converts any query of a link into a time range; invalid members are left out. */
export function readTimeSearch(search: Readonly<Record<string, unknown>>): TimeSearch {
  const { range, from, to } = search;
  const moment = (value: unknown) =>
    typeof value === "string" && !Number.isNaN(Date.parse(value)) ? new Date(value).toISOString() : undefined;
  return {
    ...(typeof range === "string" && Object.hasOwn(RANGE_LABELS, range) ? { range: range as Range } : {}),
    ...(moment(from) === undefined ? {} : { from: moment(from) }),
    ...(moment(to) === undefined ? {} : { to: moment(to) }),
  };
}

/** The current moments of a time range; a span is rounded to ten seconds, so that repeated queries are equal. */
export function momentsOf(time: TimeSearch, fallback: Range = "all", now = serviceNow()) {
  if (time.from !== undefined || time.to !== undefined) return { from: time.from, to: time.to };
  const range = time.range ?? fallback;
  if (range === "all") return { from: undefined, to: undefined };
  if (isPeriod(range)) {
    const { from, to } = PERIODS[range](new Date(now));
    return { from: from.toISOString(), to: to?.toISOString() };
  }
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
