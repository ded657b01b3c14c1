import { Elysia } from "elysia";
import { GatewayError } from "../../../errors.ts";
import {
  cancelRun,
  findRun,
  listRuns,
  type Run,
  type RunProgress,
  removeRun,
  resumeRun,
  startRun,
} from "../../../store/datasets/runs.ts";
import { actingOf, require } from "../../access/caller.ts";
import type { Callers } from "../../access/callers.ts";
import type { ApiContext } from "../../context.ts";
import { endpoint } from "../../endpoint.ts";
import { success } from "../../envelope.ts";
import { datasetOf } from "../datasets.ts";
import { estimateRun } from "./estimate.ts";
import { chosenItems, newRun, senderOf } from "./new-run.ts";
import { ESTIMATE, NEW_RUN, RESUME, readTargets } from "./run-body.ts";
import { runOf } from "./run-of.ts";
import { shownRun } from "./shown.ts";

export const TAG = "Dataset runs";

/** Sends datasets again to other models. */
export function datasetRunEndpoints(context: ApiContext, callers: Callers) {
  return new Elysia()
    .get(
      "/v1/datasets/:id/runs",
      async ({ params, request }) => {
        const dataset = await datasetOf(context, callers.of(request).organizationId, params.id);
        return success((await listRuns(context.current.records, dataset.id)).map(shownRun));
      },
      endpoint(TAG, "List the runs of a dataset", "The newest first, with the progress of each."),
    )
    .post(
      "/v1/datasets/:id/runs/estimate",
      async ({ params, body, request }) => {
        const caller = callers.of(request);
        const { version, label } = await chosenItems(context, caller, params.id, body);
        const targets = readTargets(body.targets);
        return success(await estimateRun(context, caller, { datasetId: params.id, version, label, targets }));
      },
      {
        body: ESTIMATE,
        ...endpoint(
          TAG,
          "Estimate what a run costs",
          "For each target: the provider that would be called first, tokens as used by the items' own requests, and the cost at current prices. `notes` says what is estimated or unknown. Nothing is called.",
        ),
      },
    )
    .post(
      "/v1/datasets/:id/runs",
      async ({ params, body, request }) => {
        const caller = callers.of(request);
        require(caller, "bodies");
        const run = await newRun(context, caller, params.id, body);
        await startRun((await context.writer()).records, run, actingOf(caller));
        return success(await shown(context, run));
      },
      {
        body: NEW_RUN,
        ...endpoint(
          TAG,
          "Run a dataset",
          "Sends every item to every target at the unified address, as requests of the caller: its models, credentials, limits and plugins apply. Needs `bodies` too. It continues in the background, and after a restart.",
        ),
      },
    );
}

/** Changes runs that have started. */
export function startedRunEndpoints(context: ApiContext, callers: Callers) {
  return new Elysia()
    .post(
      "/v1/datasets/:id/runs/:run/cancel",
      async ({ params, request }) => {
        const caller = callers.of(request);
        const run = await runOf(context, caller, params);
        await cancelRun((await context.writer()).records, run, actingOf(caller));
        return success(await shown(context, run));
      },
      endpoint(TAG, "Cancel a run", "Calls in progress finish and are kept; no others begin."),
    )
    .post(
      "/v1/datasets/:id/runs/:run/resume",
      async ({ params, body, request }) => {
        const caller = callers.of(request);
        const run = await runOf(context, caller, params);
        require(caller, "bodies");
        const { errors: again = false, ...limits } = body;
        refuseResuming(run, again);
        const order = { again, sender: senderOf(caller), settings: { ...run.settings, ...limits } };
        await resumeRun((await context.writer()).records, run, order, actingOf(caller));
        return success(await shown(context, run));
      },
      {
        body: RESUME,
        ...endpoint(
          TAG,
          "Continue a run",
          "Makes the remaining calls, as requests of the caller. With `errors`, failed calls are repeated; `max_cost` and `concurrency` replace the earlier values.",
        ),
      },
    )
    .delete(
      "/v1/datasets/:id/runs/:run",
      async ({ params, request }) => {
        const caller = callers.of(request);
        const run = await runOf(context, caller, params);
        await removeRun((await context.writer()).records, run, actingOf(caller));
        return success(shownRun(run));
      },
      endpoint(TAG, "Delete a run", "Its requests stay."),
    );
}

/** A run after a change of it. */
async function shown(context: ApiContext, { dataset_id, id }: Run) {
  const found = await findRun(context.current.records, dataset_id, id);
  if (found === undefined) throw new GatewayError("not_found", "the run was deleted");
  return shownRun(found);
}

function refuseResuming({ state, done, errors, items, targets }: RunProgress, again: boolean): void {
  if (state === "running") throw new GatewayError("invalid_body", "the run is under way");
  const left = items * targets.length - done + (again ? errors : 0);
  if (left > 0) return;
  const hint = errors > 0 ? ": set errors to true to make those that failed again" : "";
  throw new GatewayError("invalid_body", `all calls of the run are made${hint}`);
}
