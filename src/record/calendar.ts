/** Calendar periods: a day begins at local midnight, a week on Monday, a month on its first day. */
export const CALENDARS = ["day", "week", "month"] as const;
export type Calendar = (typeof CALENDARS)[number];

const DAY_MS = 86_400_000;

/** Whether `name` is a time zone, for example `Europe/Berlin` or `UTC`. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/**
 * Start of the local day, week or month that contains a time, in milliseconds since 1970.
 *
 * If clocks are set forward at midnight, the day begins with its first existing time.
 */
export function beginningOf(calendar: Calendar, time: number, timeZone: string): number {
  const { year, month, day } = localDate(time, timeZone);
  // Computes with local dates as if they were UTC, where all days have the same length.
  const date = new Date(Date.UTC(year, month - 1, calendar === "month" ? 1 : day));
  if (calendar === "week") date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  const first = date.getTime();
  // Zones are within a day of UTC; the date changes once in between.
  let [before, within] = [first - DAY_MS, first + DAY_MS];
  while (within - before > 1) {
    const middle = Math.floor((before + within) / 2);
    if (dateNumber(middle, timeZone) < first) before = middle;
    else within = middle;
  }
  return within;
}

/** An offset from the start of any day, week or month that lands in the next one. */
const INTO_NEXT_MS: Readonly<Record<Calendar, number>> = { day: 1.5 * DAY_MS, week: 10 * DAY_MS, month: 45 * DAY_MS };

/** Start and end of the day, week or month that contains a time. */
export function periodOf(calendar: Calendar, timeZone: string, time: number): { start: number; end: number } {
  const start = beginningOf(calendar, time, timeZone);
  return { start, end: beginningOf(calendar, start + INTO_NEXT_MS[calendar], timeZone) };
}

function dateNumber(time: number, timeZone: string): number {
  const { year, month, day } = localDate(time, timeZone);
  return Date.UTC(year, month - 1, day);
}

const formats = new Map<string, Intl.DateTimeFormat>();

function localDate(time: number, timeZone: string): Readonly<Record<"year" | "month" | "day", number>> {
  let format = formats.get(timeZone);
  if (format === undefined) {
    const parts = { year: "numeric", month: "numeric", day: "numeric" } as const;
    format = new Intl.DateTimeFormat("en-u-ca-gregory", { timeZone, ...parts });
    formats.set(timeZone, format);
  }
  const part = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
  return { year: part["year"]!, month: part["month"]!, day: part["day"]! };
}
