import { and, asc, count, desc, eq, gte, inArray, isNotNull, sql } from "drizzle-orm";
import { judgements, judges } from "../../record/tables.ts";
import { isOneOf, over, statementOf } from "../database/builder.ts";
import { patiently } from "../database/while-locked.ts";
import type { Database, Statement } from "../store.ts";
import type { Budget } from "./judge-rule.ts";

type JudgementState = Judgement["state"];

/** The state of one record for one judge. This table ensures that nothing is judged twice. */
export type Judgement = typeof judgements.$inferSelect;

export interface NewJudgement extends Pick<Judgement, "request_id" | "state"> {
  readonly reference?: string | null;
}

interface Whose {
  readonly id: string;
  readonly organization_id: string;
}

/** Queues records. Records that the judge already has stay as they are, unless `again` is set. */
export async function addJudgements(
  records: Database,
  { id, organization_id }: Whose,
  added: readonly NewJudgement[],
  again = false,
): Promise<void> {
  if (added.length === 0) return;
  const now = Date.now();
  const conflict = again
    ? sql`do update set state = 'waiting', attempts = 0, error = null, reference = excluded.reference, updated_at = excluded.updated_at
       where judgements.state in ('done', 'failed', 'skipped')`
    : sql`do nothing`;
  const rows = JSON.stringify(added.map(({ request_id, state, reference = null }) => [request_id, state, reference]));
  const insert = sql`insert into ${judgements} (judge_id, request_id, organization_id, state, reference, created_at, updated_at)
    select ${id}, value ->> 0, ${organization_id}, value ->> 1, value ->> 2, ${now}, ${now} from json_each(${rows}) where true
    on conflict ${conflict}`;
  await patiently(() => records.batch([statementOf(insert)]));
}

/**
 * Maximum records per judge waiting to be checked. Otherwise a judge that is slower than its share of the traffic would fill
 * the database.
 */
export const LINE_MAX = 20_000;

/**
 * Queues new records to be checked. Records that the judge already has stay as they are. Records that do not fit into a full
 * queue are dropped and counted.
 */
export function newJudgements(
  { id, organization_id }: Whose,
  requestIds: readonly string[],
  now: number,
): readonly Statement[] {
  const isNew = and(eq(judgements.judge_id, id), eq(judgements.state, "new"));
  const room = sql`${LINE_MAX} - (select count(*) from (select 1 from ${judgements} where ${isNew} limit ${LINE_MAX}))`;
  const ids = sql`(select value from json_each(${JSON.stringify(requestIds)}))`;
  const isOneOfThem = and(eq(judgements.judge_id, id), sql`${judgements.request_id} in ${ids}`);
  return [
    sql`insert into ${judgements} (judge_id, request_id, organization_id, state, created_at, updated_at)
      select ${id}, value, ${organization_id}, 'new', ${now}, ${now} from ${ids} where true
      limit ${room} on conflict do nothing`,
    // The queue is counted once, above: a full one takes milliseconds.
    sql`with queued (n) as materialized (select count(*) from ${judgements} where ${isOneOfThem})
      update ${judges} set left_out = left_out + ${requestIds.length} - queued.n from queued
      where ${eq(judges.id, id)} and queued.n < ${requestIds.length}`,
  ].map(statementOf);
}

/** Judgements in a state, oldest first. */
export function judgementsOf(
  records: Database,
  judgeId: string,
  state: JudgementState,
  limit: number,
): Promise<Judgement[]> {
  return over(records)
    .select()
    .from(judgements)
    .where(and(eq(judgements.judge_id, judgeId), eq(judgements.state, state)))
    .orderBy(asc(judgements.created_at), asc(judgements.request_id))
    .limit(limit);
}

/** The last completed judgements, newest first. */
export function latestJudgements(records: Database, judgeId: string, limit: number): Promise<Judgement[]> {
  return over(records)
    .select()
    .from(judgements)
    .where(eq(judgements.judge_id, judgeId))
    .orderBy(desc(judgements.updated_at), asc(judgements.request_id))
    .limit(limit);
}

type Step = Partial<Pick<Judgement, "state" | "call_id" | "attempts" | "cost" | "error">>;

export async function changeJudgement(
  records: Database,
  { judge_id, request_id }: Pick<Judgement, "judge_id" | "request_id">,
  change: Step,
): Promise<void> {
  const which = and(eq(judgements.judge_id, judge_id), eq(judgements.request_id, request_id));
  await patiently(() =>
    over(records)
      .update(judgements)
      .set({ ...change, updated_at: Date.now() })
      .where(which),
  );
}

export async function dropJudgements(records: Database, judgeId: string, requestIds: readonly string[]): Promise<void> {
  if (requestIds.length === 0) return;
  const which = and(eq(judgements.judge_id, judgeId), isOneOf(judgements.request_id, requestIds));
  await patiently(() => over(records).delete(judgements).where(which));
}

/** Marks the matching new records as waiting and deletes the others. */
export async function settleJudgements(
  records: Database,
  judgeId: string,
  requestIds: readonly string[],
  fitting: ReadonlySet<string>,
): Promise<void> {
  const isNew = and(eq(judgements.judge_id, judgeId), eq(judgements.state, "new"));
  const among = (ids: readonly string[]) => and(isNew, isOneOf(judgements.request_id, ids));
  const others = requestIds.filter((id) => !fitting.has(id));
  const statements = [
    over(records)
      .update(judgements)
      .set({ state: "waiting", updated_at: Date.now() })
      .where(among([...fitting])),
    over(records).delete(judgements).where(among(others)),
  ].map(statementOf);
  await patiently(() => records.batch(statements));
}

/** Those of these records that are calls of a judge. */
export async function callsAmong(records: Database, requestIds: readonly string[]): Promise<ReadonlySet<string>> {
  const { call_id: call } = judgements;
  const rows = await over(records).select({ call }).from(judgements).where(isOneOf(call, requestIds));
  return new Set(rows.map((row) => row.call!));
}

/** Number of a judge's judgements by state. */
export async function countsOf(records: Database, judgeId: string): Promise<Record<JudgementState, number>> {
  const rows = await over(records)
    .select({ state: judgements.state, n: count() })
    .from(judgements)
    .where(eq(judgements.judge_id, judgeId))
    .groupBy(judgements.state);
  const none = { new: 0, waiting: 0, asking: 0, done: 0, failed: 0, skipped: 0 };
  return { ...none, ...Object.fromEntries(rows.map(({ state, n }) => [state, n])) };
}

/** US dollars that a judge has spent since then, for calls with known prices. */
export async function spentSince(records: Database, judgeId: string, since: number): Promise<number> {
  const { judge_id, updated_at, cost } = judgements;
  const [row] = await over(records)
    .select({ spent: sql<number>`total(${cost})` })
    .from(judgements)
    .where(and(eq(judge_id, judgeId), gte(updated_at, since), isNotNull(cost)));
  return row!.spent;
}

/** Start of a budget's current day or month in UTC. */
export function periodStart({ per }: Pick<Budget, "per">, now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), per === "day" ? date.getUTCDate() : 1);
}

export function periodEnd({ per }: Pick<Budget, "per">, now: number): number {
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  return per === "day" ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1, 1);
}

/** Part of the transaction that deletes records. @param ids - JSON list of request ids. */
export const forgetJudgements = (ids: string): Statement => ({
  sql: "delete from judgements where request_id in (select value from json_each(?))",
  args: [ids],
});

/** Those of these records that the judge has judged or queued. */
export async function judgedAmong(
  records: Database,
  judgeId: string,
  requestIds: readonly string[],
): Promise<ReadonlyMap<string, JudgementState>> {
  const { judge_id, request_id, state } = judgements;
  const rows = await over(records)
    .select({ request_id, state })
    .from(judgements)
    .where(and(eq(judge_id, judgeId), isOneOf(request_id, requestIds)));
  return new Map(rows.map(({ request_id, state }) => [request_id, state]));
}

/** Removes waiting records from the queue. @returns how many there were. */
export async function withdrawJudgements(records: Database, judgeId: string): Promise<number> {
  const counts = await countsOf(records, judgeId);
  await patiently(() => records.batch([withdrawal(judgeId)]));
  return counts.waiting + counts.new;
}

export const withdrawal = (judgeId: string): Statement =>
  statementOf(sql`delete from ${judgements}
    where ${and(eq(judgements.judge_id, judgeId), inArray(judgements.state, ["waiting", "new"]))}`);
