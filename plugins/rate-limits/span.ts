import type { GatewayAccess } from "weir/plugin";

export const CALENDARS = ["day", "week", "month"] as const;
export type Calendar = (typeof CALENDARS)[number];

/** How long something stays counted. Times are milliseconds since 1970. */
export interface Span {
  /** As the journal keeps it: milliseconds of a window that slides, or a calendar with its zone. */
  readonly id: number | string;
  /** For people: `in 60 s`, `per calendar month (Europe/Berlin)`. */
  readonly words: string;
  /** What was counted at this time, or before, no longer counts. */
  outUntil(now: number): number;
  /** When what was counted at `time` no longer counts. */
  outAt(time: number): number;
}

/** The last so many milliseconds. */
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

/** The day, week or month of a time zone: when the next one begins, nothing is counted. */
export class CalendarSpan implements Span {
  readonly id: string;
  readonly words: string;
  readonly #periodAt: (time: number) => { readonly start: number; readonly end: number };
  /** The one that was asked for last, which nearly always is the current one. */
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

/** A span as the journal keeps it. */
export function spanOf(id: number | string, periodOf: GatewayAccess["periodOf"]): Span {
  if (typeof id === "number") return new SlidingSpan(id);
  const [calendar, timeZone = "UTC"] = id.split(" ");
  return new CalendarSpan(calendar as Calendar, timeZone, periodOf);
}
