import { Elysia } from "elysia";
import { GatewayError } from "../../errors.ts";
import { decodeFilter } from "../../filter/decode.ts";
import { readsContent } from "../../filter/select.ts";
import { hasScope, type KeySnapshot, whyUnusable } from "../../keys.ts";
import { isoTime } from "../../record/iso-time.ts";
import { JUDGE_SCHEMA, type JudgeBody, type JudgeRule, readJudgeRule } from "../../store/judges/judge-rule.ts";
import { countsOf, type Judgement, latestJudgements, periodStart, spentSince } from "../../store/judges/judgements.ts";
import {
  FAILURES_MAX,
  findJudge,
  type Judge,
  listJudges,
  putJudge,
  removeJudge,
  shownRule,
} from "../../store/judges/judges.ts";
import type { Callers } from "../access/callers.ts";
import { settled } from "../caught-up.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import { findRule, type KeptFamily, keptRuleEndpoints, placeOf } from "../rules/rule-endpoints.ts";
import { runEndpoints } from "./run.ts";
import { tryEndpoint } from "./try.ts";

/** Judgements in the list, at most. */
const LATEST = 100;

/** Models that score records. */
export function judgeEndpoints(context: ApiContext, callers: Callers) {
  const family = judgeFamily(context);
  return new Elysia()
    .use(tryEndpoint(context, callers, (body, organizationId) => readJudge(context, body, organizationId)))
    .use(keptRuleEndpoints(callers, family))
    .use(runEndpoints(context, callers, (id, organizationId) => findRule(family, id, organizationId)))
    .get(
      "/v1/judges/:id/judgements",
      async ({ params, request }) => {
        const { id } = await findRule(family, params.id, callers.of(request).organizationId);
        return success((await latestJudgements(context.current.records, id, LATEST)).map(shownJudgement));
      },
      endpoint("Judges", "List the latest work of a judge", `The newest ${LATEST}, including those that wait.`),
    );
}

function judgeFamily(context: ApiContext): KeptFamily<Judge, JudgeBody> {
  const { records } = context.current;
  const put: KeptFamily<Judge, JudgeBody>["put"] = async (caller, body, previous) => {
    const { rule } = readJudge(context, body, caller.organizationId);
    const others = await listJudges(records, caller.organizationId);
    if (others.some(({ id, name }) => id !== previous?.id && name === rule.name))
      throw new GatewayError("duplicate_name", `name: there is a judge "${rule.name}" already`, { path: "name" });
    // Requests sent before this call do not count as new.
    await settled(context);
    const judge = await putJudge((await context.writer()).records, { ...placeOf(caller), previous }, rule);
    await spreadJudges(context);
    return shownJudge(context, judge);
  };
  return {
    path: "/v1/judges",
    tag: "Judges",
    noun: "judge",
    schema: JUDGE_SCHEMA,
    summaries: {
      list: "List judges",
      read: "Read one judge",
      make: "Create a judge",
      replace: "Replace a judge",
      change: "Change parts of a judge",
      remove: "Remove a judge",
    },
    descriptions: {
      list: "With their state, their counts and spending, and the last failure.",
      make: "A model that scores a share of new requests. It is off unless `enabled` is true.",
      replace: "A stopped judge resumes.",
      change: "A stopped judge resumes. If disabled, its waiting requests are dropped.",
      remove: "Its scores stay.",
    },
    list: (organizationId) => listJudges(records, organizationId),
    find: (id, organizationId) => findJudge(records, id, organizationId),
    bodyOf: shownRule,
    shown: (judges) => Promise.all(judges.map((judge) => shownJudge(context, judge))),
    put,
    async remove(judge, caller) {
      await removeJudge((await context.writer()).records, judge, caller);
      await spreadJudges(context);
      return { id: judge.id, ...shownRule(judge) };
    },
  };
}

/** New traffic follows a change immediately; if the recorder cannot be reached now, it notices the change later by itself. */
async function spreadJudges(context: ApiContext): Promise<void> {
  await context.recorder.relearn().catch((error: unknown) => {
    context.log.warn("a change has not reached all threads yet", { why: String(error) });
  });
}

/** @throws GatewayError `invalid_body`, `filter_invalid`. */
function readJudge(
  context: ApiContext,
  body: JudgeBody,
  organizationId: string,
): { rule: JudgeRule; key: KeySnapshot } {
  const rule = readJudgeRule(body);
  if (readsContent(decodeFilter(rule.filter, "legacy").tree)) {
    const message =
      "filter: a judge's filter cannot ask for bodies or texts; ask for the model, a property or the like";
    throw new GatewayError("invalid_body", message, { path: "filter" });
  }
  const key = context.keys.byId(rule.key_id);
  const refuse = (why: string) => new GatewayError("invalid_body", `key: ${why}`, { path: "key" });
  if (key?.organizationId !== organizationId) throw refuse("the organization has no service key with this id");
  const why = whyUnusable(key, Date.now());
  if (why !== undefined) throw refuse(`the service key "${key.name}" is ${why}`);
  if (!hasScope(key, "gateway")) throw refuse(`the service key "${key.name}" lacks the scope gateway`);
  return { rule, key };
}

/** A judge as the API shows it. */
export type ShownJudge = Awaited<ReturnType<typeof shownJudge>>;

async function shownJudge({ current: { records } }: ApiContext, judge: Judge) {
  const { id, budget, problem, problem_at, rests_until, created_at, updated_at } = judge;
  const now = Date.now();
  const counts = await countsOf(records, id);
  const rests = (rests_until ?? 0) > now ? isoTime(rests_until!) : null;
  return {
    id,
    ...shownRule(judge),
    state: stateOf(judge, rests !== null),
    counts: {
      waiting: counts.new + counts.waiting + counts.asking,
      ...{ done: counts.done, failed: counts.failed, skipped: counts.skipped, left_out: judge.left_out },
    },
    spent: {
      total: await spentSince(records, id, 0),
      /** Since the start of the budget's day or month. */
      budgeted: budget === null ? null : await spentSince(records, id, periodStart(budget, now)),
    },
    problem: problem === null ? null : { message: problem, at: isoTime(problem_at ?? now) },
    rests_until: rests,
    ...{ created_at: isoTime(created_at), updated_at: isoTime(updated_at) },
  };
}

/** `stopped`: after many failures in a row, until the judge is changed. `resting`: paused for a while after a failure, or by its budget. */
function stateOf({ enabled, failures }: Judge, rests: boolean): "on" | "off" | "resting" | "stopped" {
  if (failures >= FAILURES_MAX) return "stopped";
  if (rests) return "resting";
  return enabled ? "on" : "off";
}

function shownJudgement({ request_id, state, call_id, attempts, cost, error, updated_at }: Judgement) {
  return { request_id, state, call_id, attempts, cost, error, updated_at: isoTime(updated_at) };
}
