import { formatCount, formatMoney } from "../../parts/format.ts";
import type { Unit } from "./shapes.ts";

/** `1,200 requests`, `$3.50`, `10,000 tokens`. */
export function amountText(amount: number, unit: Unit): string {
  if (unit === "cents") return formatMoney(amount / 100);
  const noun = unit === "request" ? "request" : "token";
  return `${formatCount(amount)} ${noun}${amount === 1 ? "" : "s"}`;
}
