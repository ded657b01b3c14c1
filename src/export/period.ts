import { usageFailure } from "./failure.ts";
import type { Property } from "./options.ts";

/** The records that an export is about. Both are fixed when it starts, and a resumed run goes by the same ones. */
export interface Period {
  /** ISO 8601 in UTC, included. */
  readonly from: string;
  readonly to: string;
  /** False where `to` is the midnight after a last day that was named as a whole. */
  readonly toIncluded: boolean;
}

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MOMENT = /^(\d{4}-\d{2}-\d{2})[Tt ]\d{2}:\d{2}(:\d{2}([.,]\d{1,9})?)?([Zz]|[+-]\d{2}(:?\d{2})?)?$/;

/**
 * Says which moments the given dates mean.
 *
 * @throws ExportFailure of kind `usage` for what is no date, or an end before the start.
 */
export function readPeriod(start: string | undefined, end: string | undefined, nowMs: number): Period {
  const fromMs = start === undefined ? nowMs - DEFAULT_DAYS * DAY_MS : readMoment("start-date", start);
  const wholeDay = end !== undefined && DAY.test(end);
  const toMs = end === undefined ? nowMs : readMoment("end-date", end) + (wholeDay ? DAY_MS : 0);
  if (wholeDay ? toMs <= fromMs : toMs < fromMs) throw usageFailure("--end-date is before --start-date");
  return { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString(), toIncluded: !wholeDay };
}

/** The filter of the whole export: the period, the properties and the filter that was given, joined by `and`. */
export function buildFilter(period: Period, properties: readonly Property[], filter: unknown): unknown {
  const terms: unknown[] = [
    leaf({ request_created_at: { gte: period.from } }),
    leaf({ request_created_at: { [period.toIncluded ? "lte" : "lt"]: period.to } }),
    ...properties.map(({ name, value }) => leaf({ properties: { [name]: { equals: value } } })),
  ];
  if (filter !== "all") terms.push(filter);
  return terms.reduceRight((right, left) => ({ left, operator: "and", right }));
}

function leaf(condition: object): object {
  return { request_response_rmt: condition };
}

function readMoment(option: string, text: string): number {
  const day = DAY.test(text) ? text : MOMENT.exec(text)?.[1];
  if (day === undefined || !isCalendarDay(day)) {
    throw usageFailure(`--${option} takes YYYY-MM-DD or ISO 8601, not "${text}"`);
  }
  const ms = day === text ? Date.parse(day) : Date.parse(normal(text));
  if (Number.isNaN(ms)) throw usageFailure(`--${option} takes YYYY-MM-DD or ISO 8601, not "${text}"`);
  return ms;
}

/** What every runtime's `Date.parse` reads alike; JavaScript takes a time without an offset as local time, we as UTC. */
function normal(text: string): string {
  const upper = text.toUpperCase().replace(" ", "T").replace(",", ".");
  const [, clock = "", offset = "Z"] = /^.{10}T([\d:.]+)(Z|[+-].*)?$/.exec(upper) ?? [];
  const [whole = "", fraction = ""] = clock.split(".");
  const seconds = whole.length === 5 ? `${whole}:00` : whole;
  const shift = offset === "Z" ? "Z" : `${offset.slice(0, 3)}:${offset.slice(3).replace(":", "") || "00"}`;
  return `${upper.slice(0, 10)}T${seconds}.${fraction.padEnd(3, "0").slice(0, 3)}${shift}`;
}

/** `Date.parse` makes 2 March of 30 February in some runtimes. */
function isCalendarDay(day: string): boolean {
  const date = new Date(`${day}T00:00:00.000Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}
