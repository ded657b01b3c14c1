const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });
const clock = new Intl.DateTimeFormat(undefined, {
  month: "short",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});

/** What stands where nothing is known: unknown is not 0. */
export const UNKNOWN = "–";

export function formatCount(value: number | null | undefined): string {
  return value === null || value === undefined ? UNKNOWN : whole.format(value);
}

/** `1.2M`, for where there is little room. */
export function formatCompact(value: number | null | undefined): string {
  return value === null || value === undefined ? UNKNOWN : compact.format(value);
}

/** US dollars, with as many digits as the sum needs: requests cost fractions of a cent, of which two figures say enough. */
export function formatMoney(dollars: number | null | undefined): string {
  if (dollars === null || dollars === undefined) return UNKNOWN;
  if (dollars === 0) return "$0";
  const size = Math.abs(dollars);
  const isTiny = size < 0.0001;
  const digits = size >= 1 ? 2 : isTiny ? Math.min(18, Math.ceil(-Math.log10(size)) + 1) : 5;
  return dollarsWith(isTiny ? 0 : digits, digits).format(dollars);
}

/** Making a format costs many times what using it does. */
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

/** Milliseconds as people say them. */
export function formatDuration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return UNKNOWN;
  if (ms < 1) return `${ms.toFixed(2)} ms`;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1_000).toFixed(2)} s`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  return minutes < 60
    ? `${minutes} min ${Math.floor((ms % 60_000) / 1_000)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function formatBytes(bytes: number | null | undefined): string {
  if (bytes === null || bytes === undefined) return UNKNOWN;
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  for (; value >= 1_000 && unit < units.length - 1; unit++) value /= 1_000;
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/** Local time, to the second. */
export function formatTime(iso: string | null | undefined): string {
  return iso === null || iso === undefined ? UNKNOWN : clock.format(new Date(iso)).replace(",", "");
}

/** `2 minutes ago`. */
export function formatAgo(iso: string, now = Date.now()): string {
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
