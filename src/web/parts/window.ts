import { windowText } from "./format.ts";

export const CALENDARS = ["day", "week", "month"] as const;

/** This browser's zone: budgets usually follow the calendar of the person who sets them. */
export const LOCAL_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The time window of an alert or a limit. */
export interface Window {
  readonly window_seconds: number;
  /** Replaces the sliding window. */
  readonly calendar: (typeof CALENDARS)[number] | null;
  readonly time_zone: string | null;
}

/** `5 minutes`, `a calendar month of Europe/Berlin`. */
export function spanText({ window_seconds, calendar, time_zone }: Window): string {
  if (calendar === null) return windowText(window_seconds);
  return `a calendar ${calendar}${time_zone === null || time_zone === "UTC" ? "" : ` of ${time_zone}`}`;
}
