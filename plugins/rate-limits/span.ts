import type { GatewayAccess } from "weir/plugin";

export const CALENDARS = ["day", "week", "month"] as const;
export type Calendar = (typeof CALENDARS)[number];

/** How long an entry counts. Times are milliseconds since 1970. */
export interface Span {
  /** As stored in the journal: milliseconds of a sliding window, or a calendar with its zone. */
  readonly id: number | string;
  /** In words: `in 60 s`, `per calendar month (Europe/Berlin)`. */
  readonly words: string;
  /** Entries with this time or an earlier one no longer count. */
  outUntil(now: number): number;
  /** When an entry with this time expires. */
  outAt(time: number): number;
}

/** A sliding window, in milliseconds. */
export class SlidingSpan implements Span {
  readonly id: number;
  readonly words: string;

  constructor(windowMs: number) {
    this.id = windowMs;
    this.words = `in ${windowMs / 1_000} s`;
  }

  outUntil(now: number): number {
    return now - this.id;
  }

  outAt(time: number): number {
    return time + this.id;
  }
}

/** The day, week or month of a time zone: the count restarts with each period. */
export class CalendarSpan implements Span {
  readonly id: string;
  readonly words: string;
  readonly #periodAt: (time: number) => { readonly start: number; readonly end: number };
  /** The last result, cached because it is nearly always the current period. */
  #period = { start: 0, end: 0 };

  constructor(calendar: Calendar, timeZone: string, periodOf: GatewayAccess["periodOf"]) {
    this.id = `${calendar} ${timeZone}`;
    this.words = `per calendar ${calendar} (${timeZone})`;
    this.#periodAt = (time) => periodOf(calendar, timeZone, time);
  }

  outUntil(now: number): number {
    return this.#at(now).start - 1;
  }

  outAt(time: number): number {
    return this.#at(time).end;
  }

  #at(time: number): { readonly start: number; readonly end: number } {
    const { start, end } = this.#period;
    if (time < start || time >= end) this.#period = this.#periodAt(time);
    return this.#period;
  }
}

/** A span from its form in the journal. */
export function spanOf(id: number | string, periodOf: GatewayAccess["periodOf"]): Span {
  if (typeof id === "number") return new SlidingSpan(id);
  const [calendar, timeZone = "UTC"] = id.split(" ");
  return new CalendarSpan(calendar as Calendar, timeZone, periodOf);
}
