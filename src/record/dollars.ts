/** Digits of an amount of money: more digits are floating-point noise. */
const DIGITS = 12;

/** US dollars without floating-point noise: `0.000035000000000000004` becomes `0.000035`. Null means unknown. */
export function dollars(amount: number): number;
export function dollars(amount: number | null): number | null;
export function dollars(amount: number | null): number | null {
  return typeof amount === "number" ? Number(amount.toPrecision(DIGITS)) : amount;
}
