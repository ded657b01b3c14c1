import { formatCount, formatMoney } from "../../parts/format.ts";
import type { Unit } from "./page.tsx";

/** `1,200 requests`, `$3.50`, `10,000 tokens`. */
export function amountText(amount: number, unit: Unit): string {
  if (unit === "cents") return formatMoney(amount / 100);
  const noun = unit === "request" ? "request" : "token";
  return `${formatCount(amount)} ${noun}${amount === 1 ? "" : "s"}`;
}

const STEPS = [
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
  for (const [length, name] of STEPS) {
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
