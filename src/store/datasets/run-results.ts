import { and, eq, getTableColumns, gt, sql } from "drizzle-orm";
import type { Json } from "../../plugin-host/contract.ts";
import { datasetRunResults, datasetRuns } from "../../record/tables.ts";
import { isOneOf, over, statementOf } from "../database/builder.ts";
import { patiently } from "../database/while-locked.ts";
import type { Database } from "../store.ts";

/** Cost and timing of a recorded call. */
export interface CallTotals {
  readonly provider: string | null;
  readonly model: string | null;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  /** US dollars; null when the price is unknown. */
  readonly cost: number | null;
  /** Milliseconds. */
  readonly latency: number | null;
  /** Milliseconds; null when the response was not streamed. */
  readonly first_token: number | null;
}

/** The result of one item at one target. */
export interface RunResult extends CallTotals {
  readonly item_id: string;
  readonly target: number;
  readonly request_id: string;
  readonly ok: boolean;
  readonly status: number | null;
  readonly error: string | null;
  /** The assistant's message, or null. */
  readonly output: Json;
  readonly created_at: number;
}

const { item_id, target, request_id, ok, status, error, output, created_at } = datasetRunResults;
const { provider, model, prompt_tokens, completion_tokens, cost, latency, first_token } = datasetRunResults;
const FIGURES = { provider, model, prompt_tokens, completion_tokens, cost, latency, first_token };

export async function putResults(records: Database, runId: string, results: readonly RunResult[]): Promise<void> {
  const { run_id: _, ...columns } = getTableColumns(datasetRunResults);
  const names = sql.join(
    [...Object.keys(columns)].map((name) => sql.identifier(name)),
    sql`, `,
  );
  const there = sql`exists (select 1 from ${datasetRuns} where ${eq(datasetRuns.id, runId)})`;
  const statements = results.map((result) => {
    const values = Object.values(columns).map(
      (column) => sql`${sql.param(result[column.name as keyof RunResult], column)}`,
    );
    return statementOf(sql`insert or replace into ${datasetRunResults} (run_id, ${names})
      select ${runId}, ${sql.join(values, sql`, `)} where ${there}`);
  });
  if (statements.length > 0) await patiently(() => records.batch(statements));
}

/** Results of these items, ordered by item and target. */
export async function resultsOf(records: Database, runId: string, itemIds: readonly string[]): Promise<RunResult[]> {
  return over(records)
    .select({ item_id, target, request_id, ok, status, error, output, ...FIGURES, created_at })
    .from(datasetRunResults)
    .where(and(eq(datasetRunResults.run_id, runId), isOneOf(item_id, itemIds)))
    .orderBy(item_id, target);
}

/** Calls already made, as `<item> <target>`. */
export async function madeCalls(
  records: Database,
  runId: string,
  itemIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await over(records)
    .select({ item_id, target })
    .from(datasetRunResults)
    .where(and(eq(datasetRunResults.run_id, runId), isOneOf(item_id, itemIds)));
  return new Set(rows.map((row) => callName(row.item_id, row.target)));
}

export const callName = (itemId: string, target: number): string => `${itemId} ${target}`;

/** Items that failed at a target, in order. @param after - the last item of the previous page. */
export async function failedItems(
  records: Database,
  runId: string,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<string[]> {
  const rows = await over(records)
    .selectDistinct({ item_id })
    .from(datasetRunResults)
    .where(and(eq(datasetRunResults.run_id, runId), eq(ok, false), gt(item_id, after)))
    .orderBy(item_id)
    .limit(limit);
  return rows.map((row) => row.item_id);
}

/** Without contents. */
type ResultTotals = Omit<RunResult, "output" | "error" | "created_at">;

/** Totals of all calls of a run. */
export async function resultTotals(records: Database, runId: string): Promise<ResultTotals[]> {
  return over(records)
    .select({ item_id, target, request_id, ok, status, ...FIGURES })
    .from(datasetRunResults)
    .where(eq(datasetRunResults.run_id, runId));
}
