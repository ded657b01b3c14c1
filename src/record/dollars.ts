/**
 * Maximum plausible cost of one exchange in US dollars, wherever it comes from: a price, a provider's statement, a plugin or
 * an import. A higher one is an error or malicious, and would dominate all sums and budgets.
 */
export const COST_MAX = 1_000_000;

/** Whether a value can be what an exchange cost. */
export const isCost = (amount: unknown): amount is number =>
  typeof amount === "number" && amount >= 0 && amount <= COST_MAX;

/** Digits of an amount of money: more digits are floating-point noise. */
const DIGITS = 12;

/** US dollars without floating-point noise: `0.000035000000000000004` becomes `0.000035`. Null means unknown. */
export function dollars(amount: number): number;
export function dollars(amount: number | null): number | null;
export function dollars(amount: number | null): number | null {
  return typeof amount === "number" ? Number(amount.toPrecision(DIGITS)) : amount;
}
