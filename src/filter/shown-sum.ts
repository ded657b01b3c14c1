import { dollars } from "../record/dollars.ts";
import type { Condition, FilterTree } from "./tree.ts";

/** Amounts of other sizes, such as 0 or the largest numbers, are compared as they are. */
const isRounded = (amount: number) => Math.abs(amount) > 1e-300 && Math.abs(amount) < 1e300;
/** Relative distance within which rounding moves an amount: more than half a unit of its last digit. */
const MOVED_MAX = 1e-11;

/** Which shown amounts an operator selects, as bounds: from `gte` on, and below `lt`. */
interface Selected {
  readonly gte?: number;
  readonly lt?: number;
}

/** The first amount that is shown as this one or as more, and the first that is shown as more. */
const RANGES: Readonly<Record<string, (from: () => number, above: () => number) => Selected>> = {
  equals: (from, above) => ({ gte: from(), lt: above() }),
  gte: (from) => ({ gte: from() }),
  lte: (_from, above) => ({ lt: above() }),
  gt: (_from, above) => ({ gte: above() }),
  lt: (from) => ({ lt: from() }),
};

/**
 * A condition on a sum of dollars that holds for the sum as it is shown, without the noise of the addition: `0.1 + 0.2`
 * equals `0.3`. The bounds are computed here, so that an engine compares only numbers.
 */
export function onShownSum(condition: Condition): FilterTree {
  const { operator, value } = condition;
  if (typeof value !== "number" || !isRounded(value)) return condition;
  const from = () => firstShown((shown) => shown >= value, value);
  const above = () => firstShown((shown) => shown > value, value);
  const test = (name: string, bound: number | null) => ({ ...condition, operator: name, value: bound });
  if (operator === "not-equals")
    return { kind: "or", terms: [test("equals", null), test("lt", from()), test("gte", above())] };
  const { gte, lt } = RANGES[operator]!(from, above);
  const terms = [...(gte === undefined ? [] : [test("gte", gte)]), ...(lt === undefined ? [] : [test("lt", lt)])];
  return terms.length === 1 ? terms[0]! : { kind: "and", terms };
}

/** The smallest number near `amount` whose shown form passes the test, which all larger ones pass as well. */
function firstShown(passes: (shown: number) => boolean, amount: number): number {
  const margin = Math.abs(amount) * MOVED_MAX;
  let [below, first] = [amount - margin, amount + margin];
  for (;;) {
    const middle = below + (first - below) / 2;
    if (middle <= below || middle >= first) return first;
    if (passes(dollars(middle))) first = middle;
    else below = middle;
  }
}
