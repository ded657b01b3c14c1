import { type GroupBy, SCORE_PREFIX } from "../../../filter/group-by.ts";
import type { Scope } from "../../../filter/scope.ts";
import { dollars } from "../../../record/dollars.ts";
import type { Deadline } from "../../../store/database/deadline.ts";
import type { Database } from "../../../store/store.ts";
import type { Key } from "../../aggregates.ts";
import { blockAggregates } from "../column-store/block-aggregates.ts";
import { type GroupAggregates, type Measures, TOKENS } from "../column-store/group-aggregates.ts";
import { rowsInBlocks } from "../column-store/read.ts";
import { needsManyRecords } from "../find/find.ts";

/** Below this many records, reading the records is as fast. */
const ROWS_MIN = 4_096;

/**
 * Sums that every kind of aggregate shows. Null when no record has a value; 0 over no records. In floating point, because
 * SQLite fails when a sum of integers overflows.
 */
export const TOTALS = ["cost", ...TOKENS]
  .map((column) => `case when count(*) = 0 then 0 else sum(r.${column} + 0.0) end as ${column}`)
  .join(", ");

/** Aggregates from blocks, if so many records are requested that blocks are faster. */
export async function fromBlocks(
  database: Database,
  scope: Scope,
  query: GroupBy & { readonly measures: Measures },
  deadline: Deadline,
): Promise<GroupAggregates | undefined> {
  // Blocks have no scores.
  if (query.groupBy.some((name) => name.startsWith(SCORE_PREFIX))) return undefined;
  if ((await rowsInBlocks(database, scope)) < ROWS_MIN) return undefined;
  if (!(await needsManyRecords(database, scope, deadline))) return undefined;
  return blockAggregates(database, scope, query, deadline);
}

/** The same sums from blocks. */
export function sumsOf(aggregates: GroupAggregates, group: number): Readonly<Record<string, number | null>> {
  const isEmpty = aggregates.requestsOf(group) === 0;
  const sumOf = (name: keyof GroupAggregates["sums"]) => (isEmpty ? 0 : aggregates.sums[name].of(group));
  return {
    cost: sumOf("cost"),
    prompt_tokens: sumOf("prompt_tokens"),
    completion_tokens: sumOf("completion_tokens"),
    total_tokens: sumOf("total_tokens"),
  };
}

/** A sum of costs from the database or from blocks, without floating-point noise. */
export const sumOfDollars = (sum: Key | undefined): number | null => (typeof sum === "number" ? dollars(sum) : null);

export function iso(time: Key | undefined): string {
  return new Date(Number(time)).toISOString();
}
