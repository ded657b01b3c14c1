import type { Acting } from "../../people/actor.ts";
import { uuidv7 } from "../../runtime/uuid.ts";
import { patiently } from "../database/patiently.ts";
import { type RulePlace, ruleTable, type StoredRule } from "../rule-table.ts";
import type { Database } from "../store.ts";
import type { JudgeRule } from "./judge-rule.ts";
import { withdrawal } from "./judgements.ts";

export interface Judge extends JudgeRule, StoredRule {
  /** `seq` up to which new records were looked at. */
  readonly position: number;
  /** Calls that failed one after the other. */
  readonly failures: number;
  /** Why it does not judge now, or what failed last; null once a call worked. */
  readonly problem: string | null;
  readonly problem_at: number | null;
  /** It asks nothing before; null where nothing keeps it. */
  readonly rests_until: number | null;
}

/** An organization has so many at most. */
const JUDGES_MAX = 50;
/** After so many failures in a row a judge is stopped, until it is changed. */
export const FAILURES_MAX = 10;

/** The rest is written by who judges. */
const JUDGES = ruleTable<Judge>("judges", {
  columns: [
    ...([
      "id",
      "organization_id",
      "name",
      "enabled",
      "model",
      "key_id",
      "prompt",
      "scores",
      "filter",
      "share",
    ] as const),
    ...(["budget", "reference", "created_at", "updated_at"] as const),
  ],
  json: ["scores", "filter", "budget"],
  flags: ["enabled"],
  max: JUDGES_MAX,
  noted: { noun: "judge", nameOf: ({ name }) => name, shown: shownRule },
});

export const { list: listJudges, find: findJudge } = JUDGES;

/** What a client would send to make this very judge. */
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

/** Stores a judge, a new one or in place of `previous`. It begins anew with what is recorded once it is switched on. */
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
    ...{ position: 0, failures: 0, problem: null, problem_at: null, rests_until: null },
  };
  await JUDGES.put(records, judge, by, previous);
  const begins = rule.enabled && previous?.enabled !== true;
  const ends = previous?.enabled === true && !rule.enabled;
  await patiently(() =>
    records.batch([
      ...(ends ? [withdrawal(judge.id)] : []),
      {
        sql: `update judges set failures = 0, problem = null, problem_at = null, rests_until = null,
          position = iif(?, (select coalesce(max(seq), 0) from requests), position) where id = ?`,
        args: [Number(begins), judge.id],
      },
    ]),
  );
  return (await findJudge(records, judge.id)) ?? judge;
}

/** Removes a judge with what it has still to do; the scores that it gave stay. */
export function removeJudge(records: Database, judge: Judge, by: Acting): Promise<void> {
  return JUDGES.remove(records, judge, by, [{ sql: "delete from judgements where judge_id = ?", args: [judge.id] }]);
}

export async function notePosition(records: Database, { id, position }: Pick<Judge, "id" | "position">): Promise<void> {
  await patiently(() => records.batch([{ sql: "update judges set position = ? where id = ?", args: [position, id] }]));
}

/** Notes what keeps a judge from asking. @param counts - as how many failures in a row it counts. */
export async function noteProblem(
  records: Database,
  id: string,
  {
    problem,
    counts,
    restsUntil,
  }: { readonly problem: string; readonly counts: number; readonly restsUntil: number | null },
): Promise<void> {
  const sql = "update judges set problem = ?, problem_at = ?, failures = failures + ?, rests_until = ? where id = ?";
  await patiently(() => records.batch([{ sql, args: [problem, Date.now(), counts, restsUntil, id] }]));
}

export async function noteSuccess(records: Database, id: string): Promise<void> {
  const sql = `update judges set problem = null, problem_at = null, failures = 0, rests_until = null
    where id = ? and (problem is not null or failures > 0 or rests_until is not null)`;
  await patiently(() => records.batch([{ sql, args: [id] }]));
}
