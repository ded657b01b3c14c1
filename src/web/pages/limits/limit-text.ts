import { formatCounted, formatMoney } from "../../parts/format.ts";
import type { Window } from "../../parts/window.ts";
import type { LimitRow, Unit } from "./shapes.ts";

/** `1,200 requests`, `$3.50`, `10,000 tokens`. */
export function amountText(amount: number, unit: Unit): string {
  if (unit === "cents") return formatMoney(amount / 100);
  return formatCounted(amount, unit === "request" ? "request" : "token");
}

/** A limit's time window for its form: a calendar limit gets a default window in case the user switches. */
export function windowOf({ window_seconds, calendar, time_zone }: Pick<LimitRow, keyof Window>): Window {
  return { window_seconds: window_seconds ?? 86_400, calendar, time_zone };
}
