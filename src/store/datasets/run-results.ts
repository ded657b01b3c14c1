import type { Json } from "../../plugin/contract.ts";
import { patiently } from "../database/patiently.ts";
import type { Database } from "../store.ts";

/** What a recorded call took. */
export interface CallFigures {
  readonly provider: string | null;
  readonly model: string | null;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  /** US dollars; null where the price is not known. */
  readonly cost: number | null;
  /** Milliseconds. */
  readonly latency: number | null;
  /** Milliseconds; null where the response was not streamed. */
  readonly first_token: number | null;
}

/** What came of one item at one target. */
export interface RunResult extends CallFigures {
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

type Row = Omit<RunResult, "ok" | "output"> & { readonly ok: number; readonly output: string | null };

const FIGURES = ["provider", "model", "prompt_tokens", "completion_tokens", "cost", "latency", "first_token"] as const;
const COLUMNS = [
  "item_id",
  "target",
  "request_id",
  "ok",
  "status",
  "error",
  "output",
  ...FIGURES,
  "created_at",
] as const;

export async function putResults(records: Database, runId: string, results: readonly RunResult[]): Promise<void> {
  const sql = `insert or replace into dataset_run_results (run_id, ${COLUMNS.join(", ")})
    select ?, ${COLUMNS.map(() => "?").join(", ")} where exists (select 1 from dataset_runs where id = ?)`;
  const statements = results.map((result) => {
    const output = result.output === null ? null : JSON.stringify(result.output);
    const row = { ...result, ok: Number(result.ok), output };
    return { sql, args: [runId, ...COLUMNS.map((column) => row[column]), runId] };
  });
  if (statements.length > 0) await patiently(() => records.batch(statements));
}

/** Of these items, in their order and that of the targets. */
export async function resultsOf(records: Database, runId: string, itemIds: readonly string[]): Promise<RunResult[]> {
  const sql = `select ${COLUMNS.join(", ")} from dataset_run_results
    where run_id = ? and item_id in (select value from json_each(?)) order by item_id, target`;
  const rows = await records.query<Row>({ sql, args: [runId, JSON.stringify(itemIds)] });
  return rows.map(({ ok, output, ...row }) => ({
    ...row,
    ok: ok === 1,
    output: output === null ? null : JSON.parse(output),
  }));
}

/** Which calls there are already, as `<item> <target>`. */
export async function madeCalls(
  records: Database,
  runId: string,
  itemIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const sql = `select item_id, target from dataset_run_results
    where run_id = ? and item_id in (select value from json_each(?))`;
  const rows = await records.query<{ item_id: string; target: number }>({
    sql,
    args: [runId, JSON.stringify(itemIds)],
  });
  return new Set(rows.map(({ item_id, target }) => callName(item_id, target)));
}

export const callName = (itemId: string, target: number): string => `${itemId} ${target}`;

/** Items that failed at a target, in their order. @param after - the last one before the page. */
export async function failedItems(
  records: Database,
  runId: string,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<string[]> {
  const sql = `select distinct item_id from dataset_run_results where run_id = ? and ok = 0 and item_id > ?
    order by item_id limit ?`;
  return (await records.query<{ item_id: string }>({ sql, args: [runId, after, limit] })).map(({ item_id }) => item_id);
}

/** Without what was said. */
export type ResultFigures = Omit<RunResult, "output" | "error" | "created_at">;

/** Of all calls of a run. */
export async function resultFigures(records: Database, runId: string): Promise<ResultFigures[]> {
  const columns = ["item_id", "target", "request_id", "ok", "status", ...FIGURES];
  const sql = `select ${columns.join(", ")} from dataset_run_results where run_id = ?`;
  const rows = await records.query<Row>({ sql, args: [runId] });
  return rows.map((row) => ({ ...row, ok: row.ok === 1 }));
}

/** What a request took as its record says, and its scores. */
export interface RecordedCall extends CallFigures {
  readonly request_id: string;
  readonly status: number | null;
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly scores: Readonly<Record<string, number>>;
}

/** Of those that are recorded, by request id. */
export async function recordedCalls(
  records: Database,
  organizationId: string,
  requestIds: readonly string[],
): Promise<ReadonlyMap<string, RecordedCall>> {
  const sql = `select request_id, response_status as status, error_code, error_message, scores, provider, model,
      prompt_tokens, completion_tokens, cost, delay_ms as latency, time_to_first_token as first_token
    from whole_requests where +organization_id = ? and request_id in (select value from json_each(?))`;
  const rows = await records.query<Omit<RecordedCall, "scores"> & { readonly scores: string }>({
    sql,
    args: [organizationId, JSON.stringify(requestIds)],
  });
  return new Map(rows.map((row) => [row.request_id, { ...row, scores: JSON.parse(row.scores) }]));
}
