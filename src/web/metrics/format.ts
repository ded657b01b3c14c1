import { formatDuration, UNKNOWN } from "../parts/format.ts";

const percent = new Intl.NumberFormat("en-US", { style: "percent", maximumFractionDigits: 1 });
const wholePercent = new Intl.NumberFormat("en-US", { style: "percent", maximumFractionDigits: 0 });

/** A share from 0 to 1 as a percentage. A small share is not shown as 0%, and one just below 1 not as 100%. */
export function formatPercent(part: number | null | undefined): string {
  if (part === null || part === undefined) return UNKNOWN;
  if (part > 0 && part < 0.0005) return "<0.1%";
  if (part >= 0.9995 && part < 1) return ">99.9%";
  return (Math.abs(part) >= 1 ? wholePercent : percent).format(part);
}

/** US dollars for a chart's axis, as short as possible. */
export function formatAxisMoney(dollars: number | null): string {
  if (dollars === null) return UNKNOWN;
  if (dollars === 0) return "$0";
  const digits =
    dollars >= 1_000 ? { notation: "compact" as const, maximumFractionDigits: 1 } : { maximumSignificantDigits: 3 };
  return `$${new Intl.NumberFormat("en-US", digits).format(dollars)}`;
}

/** Milliseconds for a chart's axis. */
export function formatAxisDuration(ms: number | null): string {
  if (ms === null) return UNKNOWN;
  if (ms === 0) return "0";
  return ms >= 1_000 && ms < 60_000 ? `${Number((ms / 1_000).toPrecision(3))} s` : formatDuration(ms);
}
