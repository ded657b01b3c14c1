import { Type } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import { GatewayError } from "../../errors.ts";
import { decodeFilter } from "../../filter/decode.ts";
import type { Json } from "../../plugin-host/contract.ts";
import { noted } from "../../store/audit/recorded.ts";
import { Deadline } from "../../store/database/deadline.ts";
import { listItems } from "../../store/datasets/items.ts";
import { addJudgements, judgedAmong, type NewJudgement, withdrawJudgements } from "../../store/judges/judgements.ts";
import { FAILURES_MAX, type Judge } from "../../store/judges/judges.ts";
import { JUDGE_PROPERTY } from "../../store/judges/sampling.ts";
import type { Caller } from "../access/caller.ts";
import type { Callers } from "../access/callers.ts";
import { CHANGED_MAX, selected } from "../changes/selection.ts";
import type { ApiContext } from "../context.ts";
import { datasetOf } from "../datasets/datasets.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import { FILTER } from "../input/query-body.ts";

/** Requests of one run, at most. */
const RUN_MAX = 10_000;
const RUN_DEFAULT = 1_000;

const RUN = t.Object(
  {
    requestIds: t.Optional(t.Array(t.String(), { maxItems: CHANGED_MAX, description: "These requests." })),
    filter: t.Optional(FILTER),
    dataset: t.Optional(
      t.String({
        description: "Id of a dataset: the requests that its items come from. Their outputs are {{reference}}.",
      }),
    ),
    limit: t.Optional(
      Type.Integer({ minimum: 1, maximum: RUN_MAX, description: `Requests at most; default: ${RUN_DEFAULT}.` }),
    ),
    again: t.Optional(t.Boolean({ description: "true also judges requests that it has judged before." })),
    estimate: t.Optional(t.Boolean({ description: "true returns how many requests it would judge, and judges none." })),
  },
  { additionalProperties: false },
);

type RunBody = typeof RUN.static;
type Candidate = Pick<NewJudgement, "request_id" | "reference">;

/** Lets a judge score records from before it existed. */
export function runEndpoints(
  context: ApiContext,
  callers: Callers,
  find: (id: string, organizationId: string) => Promise<Judge>,
) {
  return new Elysia()
    .post(
      "/v1/judges/:id/run",
      async ({ params, body, request }) => {
        const caller = callers.of(request);
        const judge = await find(params.id, caller.organizationId);
        const all = await candidates(context, caller, body);
        const judged = await judgedAmong(
          context.current.records,
          judge.id,
          all.map(({ request_id }) => request_id),
        );
        const isOpen = (state: string) => state === "waiting" || state === "asking" || state === "new";
        const due = all.filter(({ request_id }) => {
          const state = judged.get(request_id);
          return state === undefined || (body.again === true && !isOpen(state));
        });
        const already = all.length - due.length;
        if (body.estimate === true)
          return success({ requests: due.length, already, ...(await estimate(context, judge, due.length)) });
        if (judge.failures >= FAILURES_MAX)
          throw new GatewayError("invalid_body", `the judge is stopped: ${judge.problem}. Change it first`);
        const { records } = await context.writer();
        await addJudgements(
          records,
          judge,
          due.map((each) => ({ ...each, state: "waiting" })),
          true,
        );
        await noted(records, caller, {
          action: "judge.ran",
          organizationId: caller.organizationId,
          object: { kind: "judge", id: judge.id, name: judge.name },
          after: { requests: due.length },
        });
        return success({ queued: due.length, already });
      },
      {
        body: RUN,
        ...endpoint(
          "Judges",
          "Judge recorded requests",
          "By ids, by a filter (the newest first), or those of a dataset. They are queued; the judge's `counts` show the progress. With `estimate` the response has their number and cost, and none is queued.",
        ),
      },
    )
    .delete(
      "/v1/judges/:id/run",
      async ({ params, request }) => {
        const judge = await find(params.id, callers.of(request).organizationId);
        return success({ withdrawn: await withdrawJudgements((await context.writer()).records, judge.id) });
      },
      endpoint("Judges", "Drop the requests that wait for a judge", "Calls in progress finish."),
    );
}

async function candidates(context: ApiContext, caller: Caller, body: RunBody): Promise<readonly Candidate[]> {
  const { requestIds, filter, dataset, limit = RUN_DEFAULT } = body;
  const given = [requestIds, filter, dataset].filter((each) => each !== undefined);
  if (given.length !== 1) throw new GatewayError("invalid_body", "say which requests by requestIds, filter or dataset");
  if (dataset !== undefined) return ofDataset(context, caller, dataset, limit);
  const found: Candidate[] = [];
  for await (const { ids } of selected(context, caller, { requestIds, filter })) {
    found.push(...ids.slice(0, limit - found.length).map((request_id) => ({ request_id })));
    if (found.length >= limit) break;
  }
  return found;
}

async function ofDataset(
  context: ApiContext,
  caller: Caller,
  id: string,
  limit: number,
): Promise<readonly Candidate[]> {
  const { version } = await datasetOf(context, caller.organizationId, id);
  const items = await listItems(context.current.records, id, { version, after: "", limit });
  const byRequest = new Map(
    items.flatMap(({ request_id, output }) =>
      request_id === null ? [] : [[request_id, referenceOf(output)] as const],
    ),
  );
  return [...byRequest].map(([request_id, reference]) => ({ request_id, reference }));
}

function referenceOf(output: Json): string | null {
  const content = output?.content;
  if (typeof content === "string") return content;
  return output === null || output === undefined ? null : JSON.stringify(output);
}

/** Estimated from the mean cost of the judge's calls so far, trials included. US dollars; null if unknown. */
async function estimate(context: ApiContext, { organization_id, name }: Judge, requests: number) {
  const filter = { request_response_rmt: { properties: { [JUDGE_PROPERTY]: { equals: name } } } };
  const scope = { organizationId: organization_id, tree: decodeFilter(filter, "legacy").tree };
  const query = { groupBy: [], timeBucket: undefined, latencies: false, limit: 1, offset: 0 };
  const deadline = new Deadline(context.config.query_timeout_seconds * 1_000);
  const [row] = await context.engine.aggregates.metrics(scope, query, deadline);
  const calls = Number(row?.requests ?? 0);
  const mean = typeof row?.cost === "number" && row.cost > 0 && calls > 0 ? row.cost / calls : null;
  return { cost: mean === null ? null : mean * requests, calls };
}
