import { serviceNow } from "../clock.ts";

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });
const MINUTE = { month: "short", day: "2-digit", hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
/** For dates and numbers: the pages are in English, and mixing two languages is hard to read. */
export const LOCALE = "en-US";
const clock = new Intl.DateTimeFormat(LOCALE, { ...MINUTE, second: "2-digit" });
const clockOfOtherYears = new Intl.DateTimeFormat(LOCALE, { ...MINUTE, year: "numeric" });

/** Shown for unknown values: unknown is not 0. */
export const UNKNOWN = "–";

export function formatCount(value: number | null | undefined): string {
  return value === null || value === undefined ? UNKNOWN : whole.format(value);
}

/** `1 request`, `2,000 requests`. */
export const formatCounted = (value: number, one: string, many = `${one}s`): string =>
  `${formatCount(value)} ${value === 1 ? one : many}`;

/** `1.2M`, if there is little space. */
export function formatCompact(value: number | null | undefined): string {
  return value === null || value === undefined ? UNKNOWN : compact.format(value);
}

/** US dollars, with as many digits as the amount needs: requests cost fractions of a cent, for which two digits are enough. */
export function formatMoney(dollars: number | null | undefined): string {
  if (dollars === null || dollars === undefined) return UNKNOWN;
  if (dollars === 0) return "$0";
  const size = Math.abs(dollars);
  const isTiny = size < 0.0001;
  const digits = size >= 1 ? 2 : isTiny ? Math.min(18, Math.ceil(-Math.log10(size)) + 1) : 5;
  return dollarsWith(isTiny ? 0 : digits, digits).format(dollars);
}

/** Creating a format is far slower than using it. */
const dollarFormats = new Map<string, Intl.NumberFormat>();

function dollarsWith(minimumFractionDigits: number, maximumFractionDigits: number): Intl.NumberFormat {
  const key = `${minimumFractionDigits} ${maximumFractionDigits}`;
  const known = dollarFormats.get(key);
  if (known !== undefined) return known;
  const options = { style: "currency", currency: "USD", minimumFractionDigits, maximumFractionDigits } as const;
  const made = new Intl.NumberFormat("en-US", options);
  dollarFormats.set(key, made);
  return made;
}

/** Milliseconds in readable units. Each unit begins where the smaller one would round up to it. */
export function formatDuration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return UNKNOWN;
  if (ms !== 0 && ms < 0.995) return `${ms.toFixed(2)} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9_995) return `${(ms / 1_000).toFixed(2)} s`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (hours < 1) return `${minutes} min ${seconds % 60} s`;
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

export function formatBytes(bytes: number | null | undefined): string {
  if (bytes === null || bytes === undefined) return UNKNOWN;
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  for (; value >= 999.5 && unit < units.length - 1; unit++) value /= 1_000;
  return `${value < 9.95 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/** Local time, to the second; in another year to the minute, with the year. */
export function formatTime(iso: string | null | undefined, now = new Date()): string {
  if (iso === null || iso === undefined) return UNKNOWN;
  const date = new Date(iso);
  if (date.getFullYear() !== now.getFullYear()) return clockOfOtherYears.format(date);
  return clock.format(date).replace(",", "");
}

const exactClock = new Intl.DateTimeFormat(LOCALE, {
  ...{ year: "numeric", ...MINUTE, second: "2-digit", fractionalSecondDigits: 3, timeZoneName: "short" },
});

/** Local time to the millisecond, with its zone. */
export const formatExactTime = (iso: string): string => exactClock.format(new Date(iso));

/** `2 minutes ago`. */
export function formatAgo(iso: string, now = serviceNow()): string {
  const seconds = Math.round((Date.parse(iso) - now) / 1_000);
  const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
    ["day", 86_400],
    ["hour", 3_600],
    ["minute", 60],
  ];
  for (const [unit, length] of steps) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return relative.format(seconds, "second");
}

const WINDOWS = [
  [31_536_000, "year"],
  [2_592_000, "30 days"],
  [604_800, "week"],
  [86_400, "day"],
  [3_600, "hour"],
  [60, "minute"],
  [1, "second"],
] as const;

/** `a minute`, `5 minutes`, `30 days`. */
export function windowText(seconds: number): string {
  for (const [length, name] of WINDOWS) {
    if (seconds % length !== 0) continue;
    const times = seconds / length;
    if (name === "30 days") {
      if (times === 1) return name;
      continue;
    }
    if (times === 1) return `${name === "hour" ? "an" : "a"} ${name}`;
    return `${times} ${name}s`;
  }
  return `${seconds} seconds`;
}
