import { MEAN_SCALE } from "../../../filter/mean.ts";
import { dollars } from "../../../record/dollars.ts";
import type { Key } from "../../aggregates.ts";

/** A result row, before its columns get their names in the API. */
export type Row = Readonly<Record<string, Key>>;

const REFUSED = "refused";

/** Failed requests of a group, those that the gateway refused, and cache hits. */
export const COUNTS = [
  `countIf(r.response_status >= 400 and ifNull(r.outcome, '') != '${REFUSED}') as errors`,
  `countIf(r.outcome = '${REFUSED}') as refused`,
].join(", ");

/** A sum of costs, compensated (Kahan): in any order of rows it differs at most in its last digit. */
export const costSum = (column: string) => `sumKahan(${column})`;

/**
 * A mean. A sum of large values, such as scores of 1e308, would be infinite. `materialize` keeps ClickHouse from moving the
 * division out of the sum.
 */
export const meanOf = (column: string) => `(avg(${column} / materialize(${MEAN_SCALE})) * ${MEAN_SCALE})`;

/** A sum of counts, in floating point: a sum of integers would overflow silently. */
export const countSum = (column: string) => `sum(toFloat64(${column}))`;

/** Sums that every kind of aggregate shows. Null when no record has a value; 0 over no records. */
export const TOTALS = [
  ["cost", costSum("r.cost")],
  ...["prompt_tokens", "completion_tokens", "total_tokens"].map((column) => [column, countSum(`r.${column}`)]),
]
  .map(([name, sum]) => `if(count() = 0, 0, ${sum}) as sum_${name}`)
  .join(", ");

/** The same sums of a row, by their names in responses. */
export const sumsOf = (row: Row) => ({
  cost: dollars((row["sum_cost"] ?? null) as number | null),
  prompt_tokens: row["sum_prompt_tokens"] ?? null,
  completion_tokens: row["sum_completion_tokens"] ?? null,
  total_tokens: row["sum_total_tokens"] ?? null,
});

/** The column for a name in a response, for `order by`: sums have a prefix. */
export const columnOf = (name: string): string =>
  ["cost", "prompt_tokens", "completion_tokens", "total_tokens"].includes(name) ? `sum_${name}` : name;

export const iso = (time: Key | undefined): string => new Date(Number(time)).toISOString();
