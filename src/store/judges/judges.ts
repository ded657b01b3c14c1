import { and, eq, gt, isNotNull, or, sql } from "drizzle-orm";
import type { Acting } from "../../people/actor.ts";
import { judgements, judges } from "../../record/tables.ts";
import { uuidv7 } from "../../runtime/uuid.ts";
import { over, statementOf } from "../database/builder.ts";
import { patiently } from "../database/while-locked.ts";
import { type RulePlace, ruleTable, type StoredRule } from "../rule-table.ts";
import type { Database } from "../store.ts";
import type { JudgeRule } from "./judge-rule.ts";
import { withdrawal } from "./judgements.ts";

export interface Judge extends JudgeRule, StoredRule {
  /** Consecutive failed calls. */
  readonly failures: number;
  /** Why it is not judging now, or the last failure; null once a call succeeded. */
  readonly problem: string | null;
  readonly problem_at: number | null;
  /** The judge sends nothing before this time; null when it is not paused. */
  readonly rests_until: number | null;
  /** Requests of its share that arrived while its queue was full. */
  readonly left_out: number;
}

/** Maximum per organization. */
const JUDGES_MAX = 50;
/** After this many consecutive failures a judge is stopped until it is changed. */
export const FAILURES_MAX = 10;

const JUDGES = ruleTable<Judge>(judges, {
  max: JUDGES_MAX,
  kept: ["failures", "problem", "problem_at", "rests_until", "left_out"],
  noted: { noun: "judge", nameOf: ({ name }) => name, shown: shownRule },
});

export const { list: listJudges, find: findJudge } = JUDGES;

/** The request body that would create this judge. */
export function shownRule({
  name,
  model,
  key_id,
  prompt,
  scores,
  filter,
  share,
  budget,
  reference,
  enabled,
}: JudgeRule) {
  return { name, model, key: key_id, prompt, scores, filter, share, budget, reference, enabled };
}

const UNTROUBLED = { failures: 0, problem: null, problem_at: null, rests_until: null };

/** Stores a judge, or replaces `previous`. The recorder is notified afterwards. */
export async function putJudge(
  records: Database,
  { organizationId, by, previous }: RulePlace<Judge>,
  rule: JudgeRule,
): Promise<Judge> {
  const now = Date.now();
  const judge: Judge = {
    ...rule,
    ...{ id: previous?.id ?? uuidv7(), organization_id: organizationId },
    ...{ created_at: previous?.created_at ?? now, updated_at: now },
    ...UNTROUBLED,
    left_out: previous?.left_out ?? 0,
  };
  await JUDGES.put(records, judge, by, previous);
  const ends = previous?.enabled === true && !rule.enabled;
  await patiently(() =>
    records.batch([
      ...(ends ? [withdrawal(judge.id)] : []),
      statementOf(over(records).update(judges).set(UNTROUBLED).where(eq(judges.id, judge.id))),
    ]),
  );
  return (await findJudge(records, judge.id)) ?? judge;
}

/** Changes when any judge changes. */
export async function judgesFingerprint(records: Database): Promise<string> {
  const fingerprint = sql<string>`count(*) || ' ' || coalesce(max(${judges.updated_at}), 0)`;
  return (await over(records).select({ fingerprint }).from(judges))[0]!.fingerprint;
}

/** Removes a judge with its queue; the scores that it gave stay. */
export function removeJudge(records: Database, judge: Judge, by: Acting): Promise<void> {
  return JUDGES.remove(records, judge, by, [over(records).delete(judgements).where(eq(judgements.judge_id, judge.id))]);
}

/** Notes why a judge cannot send requests. @param counts - how many consecutive failures it counts as. */
export async function noteProblem(
  records: Database,
  id: string,
  {
    problem,
    counts,
    restsUntil,
  }: { readonly problem: string; readonly counts: number; readonly restsUntil: number | null },
): Promise<void> {
  const failures = sql`${judges.failures} + ${counts}`;
  const set = { problem, problem_at: Date.now(), failures, rests_until: restsUntil };
  await patiently(() => over(records).update(judges).set(set).where(eq(judges.id, id)));
}

/** Requests dropped because judges' queues were full, for all judges. */
export async function countLeftOut(records: Database, deadlineMs: number): Promise<number> {
  const sum = statementOf(sql`select coalesce(sum(left_out), 0) as n from ${judges}`);
  const [row] = await records.query<{ n: number }>(sum, { deadlineMs });
  return row!.n;
}

export async function noteSuccess(records: Database, id: string): Promise<void> {
  const troubled = or(isNotNull(judges.problem), gt(judges.failures, 0), isNotNull(judges.rests_until));
  await patiently(() =>
    over(records)
      .update(judges)
      .set(UNTROUBLED)
      .where(and(eq(judges.id, id), troubled)),
  );
}
