import { usageFailure } from "../api-client/failure.ts";
import { readIsoTime } from "../record/iso-time.ts";
import type { Property } from "./options.ts";

/** The time range of an export. Both ends are fixed when it starts, and a resumed run uses the same ones. */
export interface Period {
  /** ISO 8601 in UTC with milliseconds, both included. */
  readonly from: string;
  readonly to: string;
}

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Converts the given dates to times.
 *
 * @throws ExportFailure of kind `usage` for an invalid date, or an end before the start.
 */
export function readPeriod(start: string | undefined, end: string | undefined, nowMs: number): Period {
  const fromMs = start === undefined ? nowMs - DEFAULT_DAYS * DAY_MS : readMoment("start-date", start);
  const lastMs = end === undefined ? nowMs : readMoment("end-date", end);
  const toMs = end !== undefined && DAY.test(end) ? lastMs + DAY_MS - 1 : lastMs;
  if (toMs < fromMs) throw usageFailure("--end-date is before --start-date");
  return { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
}

/** The filter of the complete export: the period, the properties and the given filter, joined by `and`. */
export function buildFilter(period: Period, properties: readonly Property[], filter: unknown): unknown {
  const terms: unknown[] = [
    leaf({ request_created_at: { gte: period.from } }),
    leaf({ request_created_at: { lte: period.to } }),
    ...properties.map(({ name, value }) => leaf({ properties: { [name]: { equals: value } } })),
  ];
  if (filter !== "all") terms.push(filter);
  return terms.reduceRight((right, left) => ({ left, operator: "and", right }));
}

/** The position of the given filter in the complete one, as the service names it in errors. */
export function placeOfGiven(properties: readonly Property[]): string {
  return `filter${".right".repeat(2 + properties.length)}`;
}

function leaf(condition: object): object {
  return { request_response_rmt: condition };
}

function readMoment(option: string, text: string): number {
  const ms = readIsoTime(text);
  if (ms === undefined) throw usageFailure(`--${option} takes YYYY-MM-DD or ISO 8601, not "${text}"`);
  return ms;
}
