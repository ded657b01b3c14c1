import { Elysia, t } from "elysia";
import { engineReader } from "../../engine/reader.ts";
import { keysOf } from "../../engine/record-source.ts";
import type { KeySnapshot } from "../../keys.ts";
import type { RequestRow } from "../../record/request-record.ts";
import { uuidv7 } from "../../runtime/uuid.ts";
import { askJudge, loadJudged } from "../../store/judges/ask-judge.ts";
import { JUDGE_SCHEMA, type JudgeBody, type JudgeRule } from "../../store/judges/judge-rule.ts";
import { filled } from "../../store/judges/prompt.ts";
import type { JudgeVerdict } from "../../store/judges/verdict.ts";
import type { Callers } from "../access/callers.ts";
import { settled } from "../caught-up.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import { readIds } from "../input/request-id.ts";
import { recordsNamed } from "../named.ts";

/** Requests that a judge is tried on at a time, at most. */
const TRIED_MAX = 10;

const TRY = t.Object(
  {
    judge: JUDGE_SCHEMA,
    requestIds: t.Array(t.String(), {
      minItems: 1,
      maxItems: TRIED_MAX,
      description: `1 to ${TRIED_MAX} request ids.`,
    }),
  },
  { additionalProperties: false },
);

/** A judge's verdict on one request. */
export interface TriedRequest {
  readonly request_id: string;
  /** The prompt that was sent; null if none was. */
  readonly prompt: string | null;
  /** The model's response; null if it could not be called. */
  readonly answer: string | null;
  readonly scores: readonly JudgeVerdict[];
  readonly error: string | null;
  /** US dollars; null if unknown. */
  readonly cost: number | null;
  /** The record of the call. */
  readonly call_id: string | null;
}

type ReadJudge = (body: JudgeBody, organizationId: string) => { readonly rule: JudgeRule; readonly key: KeySnapshot };

/** Calls a judge, which need not be stored, and stores none of its scores. */
export function tryEndpoint(context: ApiContext, callers: Callers, readJudge: ReadJudge) {
  return new Elysia().post(
    "/v1/judges/try",
    async ({ body, request }) => {
      const { organizationId } = callers.of(request);
      const { rule, key } = readJudge(body.judge, organizationId);
      const ids = readIds(body.requestIds);
      const named = await recordsNamed(context, organizationId, ids);
      const rows = new Map(named.map((row) => [row.request_id, row]));
      const tried = await Promise.all(ids.map((id) => tryOne(context, rule, key, { id, row: rows.get(id) })));
      return success(tried);
    },
    {
      body: TRY,
      ...endpoint(
        "Judges",
        "Try a judge",
        "On recorded requests. The calls are paid for and recorded; no score is stored.",
      ),
    },
  );
}

async function tryOne(
  context: ApiContext,
  rule: JudgeRule,
  { hash: keyHash }: KeySnapshot,
  { id, row }: { readonly id: string; readonly row: RequestRow | undefined },
): Promise<TriedRequest> {
  const nothing = { request_id: id, prompt: null, answer: null, scores: [], cost: null, call_id: null };
  if (row === undefined) return { ...nothing, error: "there is no such request" };
  const reference = rule.reference === null ? null : (JSON.parse(row.properties)[rule.reference] ?? null);
  const ofProviders = context.gateway.providerMappings;
  const record = await loadJudged(context.current, row, { reference, ofProviders });
  if (record.output === "") return { ...nothing, error: "no response was recorded that can be read" };
  const callId = uuidv7();
  const outcome = await askJudge({ passedOn: context.passedOn, keyHash, callId }, rule, record);
  await settled(context);
  const [call] = await engineReader(context.current, context.config).source.records(
    row.organization_id,
    keysOf([callId]),
  );
  return {
    request_id: id,
    prompt: filled(rule.prompt, record),
    answer: outcome.kind === "judge" ? null : (outcome.answer ?? null),
    scores: outcome.kind === "verdict" ? outcome.verdicts : [],
    error: outcome.kind === "verdict" ? null : outcome.error,
    cost: call?.cost ?? null,
    call_id: call === undefined ? null : callId,
  };
}
