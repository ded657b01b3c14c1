import { dollars } from "../../../record/dollars.ts";
import type { Key } from "../../aggregates.ts";

/** A row of an answer, before it is named as the API names it. */
export type Row = Readonly<Record<string, Key>>;

const REFUSED = "refused";

/** Requests of a group that failed, those that the gateway refused, and hits of the cache. */
export const COUNTS = [
  `countIf(r.response_status >= 400 and ifNull(r.outcome, '') != '${REFUSED}') as errors`,
  `countIf(r.outcome = '${REFUSED}') as refused`,
].join(", ");

/** A sum of costs: compensated, so that it is the same in every order of rows but for its last digit. */
export const costSum = (column: string) => `sumKahan(${column})`;

/**
 * Sums that every kind of aggregate shows. Null where no record knows a value; over no records they are 0. Tokens are added
 * up in floating point: a sum of integers that is too large for one would begin again at the lowest.
 */
export const TOTALS = [
  ["cost", costSum("r.cost")],
  ...["prompt_tokens", "completion_tokens", "total_tokens"].map((column) => [column, `sum(toFloat64(r.${column}))`]),
]
  .map(([name, sum]) => `if(count() = 0, 0, ${sum}) as sum_${name}`)
  .join(", ");

/** The same sums of a row, by the names that answers have. */
export const sumsOf = (row: Row) => ({
  cost: dollars((row["sum_cost"] ?? null) as number | null),
  prompt_tokens: row["sum_prompt_tokens"] ?? null,
  completion_tokens: row["sum_completion_tokens"] ?? null,
  total_tokens: row["sum_total_tokens"] ?? null,
});

/** Names of answers that are sums, as `order by` names them. */
export const columnOf = (name: string): string =>
  ["cost", "prompt_tokens", "completion_tokens", "total_tokens"].includes(name) ? `sum_${name}` : name;

export const iso = (time: Key | undefined): string => new Date(Number(time)).toISOString();
