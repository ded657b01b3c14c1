import { patiently } from "../database/patiently.ts";
import type { Database, Statement } from "../store.ts";
import type { Budget } from "./judge-rule.ts";

/**
 * `in_flight`: the record has not ended yet. `waiting`: it is to be judged. `asking`: the call is under way. `skipped`: there
 * was nothing to judge.
 */
export type JudgementState = "in_flight" | "waiting" | "asking" | "done" | "failed" | "skipped";

/** One record for one judge: what is to be done, and what was. It is here that nothing is judged twice. */
export interface Judgement {
  readonly judge_id: string;
  readonly request_id: string;
  readonly organization_id: string;
  readonly state: JudgementState;
  /** What the response should have been, where that is known otherwise than by a property. */
  readonly reference: string | null;
  /** The record of the last call. */
  readonly call_id: string | null;
  readonly attempts: number;
  /** US dollars of all calls for it. */
  readonly cost: number | null;
  readonly error: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

export interface NewJudgement extends Pick<Judgement, "request_id" | "state"> {
  readonly reference?: string | null;
}

interface Whose {
  readonly id: string;
  readonly organization_id: string;
}

/** Puts records in line; those that the judge has had already stay as they are, unless they are to be judged `again`. */
export async function addJudgements(
  records: Database,
  { id, organization_id }: Whose,
  added: readonly NewJudgement[],
  again = false,
): Promise<void> {
  if (added.length === 0) return;
  const now = Date.now();
  const conflict = again
    ? `do update set state = 'waiting', attempts = 0, error = null, reference = excluded.reference, updated_at = excluded.updated_at
       where judgements.state in ('done', 'failed', 'skipped')`
    : "do nothing";
  const sql = `insert into judgements (judge_id, request_id, organization_id, state, reference, created_at, updated_at)
    select ?, value ->> 0, ?, value ->> 1, value ->> 2, ?, ? from json_each(?) where true on conflict ${conflict}`;
  const rows = added.map(({ request_id, state, reference = null }) => [request_id, state, reference]);
  await patiently(() => records.batch([{ sql, args: [id, organization_id, now, now, JSON.stringify(rows)] }]));
}

/** Those of a state, the oldest first. */
export function judgementsOf(
  records: Database,
  judgeId: string,
  state: JudgementState,
  limit: number,
): Promise<Judgement[]> {
  const sql = "select * from judgements where judge_id = ? and state = ? order by created_at, request_id limit ?";
  return records.query<Judgement>({ sql, args: [judgeId, state, limit] });
}

/** The last ones that came to something, the newest first. */
export function latestJudgements(records: Database, judgeId: string, limit: number): Promise<Judgement[]> {
  const sql = "select * from judgements where judge_id = ? order by updated_at desc, request_id limit ?";
  return records.query<Judgement>({ sql, args: [judgeId, limit] });
}

type Change = Partial<Pick<Judgement, "state" | "call_id" | "attempts" | "cost" | "error">>;

export async function changeJudgement(
  records: Database,
  { judge_id, request_id }: Pick<Judgement, "judge_id" | "request_id">,
  change: Change,
): Promise<void> {
  const entries = Object.entries(change);
  const sql = `update judgements set ${entries.map(([name]) => `${name} = ?`).join(", ")}, updated_at = ?
    where judge_id = ? and request_id = ?`;
  const args = [...entries.map(([, value]) => value ?? null), Date.now(), judge_id, request_id];
  await patiently(() => records.batch([{ sql, args }]));
}

export async function dropJudgements(records: Database, judgeId: string, requestIds: readonly string[]): Promise<void> {
  if (requestIds.length === 0) return;
  const sql = "delete from judgements where judge_id = ? and request_id in (select value from json_each(?))";
  await patiently(() => records.batch([{ sql, args: [judgeId, JSON.stringify(requestIds)] }]));
}

/** Of these records, those that are calls of a judge. */
export async function callsAmong(records: Database, requestIds: readonly string[]): Promise<ReadonlySet<string>> {
  const sql = "select call_id from judgements where call_id in (select value from json_each(?))";
  const rows = await records.query<{ call_id: string }>({ sql, args: [JSON.stringify(requestIds)] });
  return new Set(rows.map(({ call_id }) => call_id));
}

/** Judgements of a judge by their state. */
export async function countsOf(records: Database, judgeId: string): Promise<Record<JudgementState, number>> {
  const sql = "select state, count(*) as n from judgements where judge_id = ? group by state";
  const rows = await records.query<{ state: JudgementState; n: number }>({ sql, args: [judgeId] });
  const none = { in_flight: 0, waiting: 0, asking: 0, done: 0, failed: 0, skipped: 0 };
  return { ...none, ...Object.fromEntries(rows.map(({ state, n }) => [state, n])) };
}

/** US dollars that a judge has spent since then, as far as the prices of its calls are known. */
export async function spentSince(records: Database, judgeId: string, since: number): Promise<number> {
  const sql = "select total(cost) as spent from judgements where judge_id = ? and updated_at >= ? and cost is not null";
  const [row] = await records.query<{ spent: number }>({ sql, args: [judgeId, since] });
  return row?.spent ?? 0;
}

/** When the day or month of a budget began, in UTC. */
export function periodStart({ per }: Pick<Budget, "per">, now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), per === "day" ? date.getUTCDate() : 1);
}

export function periodEnd({ per }: Pick<Budget, "per">, now: number): number {
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  return per === "day" ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1, 1);
}

/** For the transaction that deletes records. @param ids - JSON list of request ids. */
export const forgetJudgements = (ids: string): Statement => ({
  sql: "delete from judgements where request_id in (select value from json_each(?))",
  args: [ids],
});

/** Of these records, those that the judge has had or is to have. */
export async function judgedAmong(
  records: Database,
  judgeId: string,
  requestIds: readonly string[],
): Promise<ReadonlyMap<string, JudgementState>> {
  const sql = `select request_id, state from judgements
    where judge_id = ? and request_id in (select value from json_each(?))`;
  const rows = await records.query<Pick<Judgement, "request_id" | "state">>({
    sql,
    args: [judgeId, JSON.stringify(requestIds)],
  });
  return new Map(rows.map(({ request_id, state }) => [request_id, state]));
}

/** Takes back what waits. @returns how much that was. */
export async function withdrawJudgements(records: Database, judgeId: string): Promise<number> {
  const counts = await countsOf(records, judgeId);
  await patiently(() => records.batch([withdrawal(judgeId)]));
  return counts.waiting + counts.in_flight;
}

export const withdrawal = (judgeId: string): Statement => ({
  sql: "delete from judgements where judge_id = ? and state in ('waiting', 'in_flight')",
  args: [judgeId],
});
