import { Elysia, t } from "elysia";
import { GatewayError } from "../../../errors.ts";
import { hint, quote } from "../../../filter/spelling.ts";
import { storable } from "../../../record/storable.ts";
import { uuidv7 } from "../../../runtime/uuid.ts";
import { countItems, itemsOfVersion, listItems } from "../../../store/datasets/items.ts";
import { failedItems } from "../../../store/datasets/run-results.ts";
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
import { actingOf, type Caller, require } from "../../access/caller.ts";
import type { Callers } from "../../access/callers.ts";
import { ownerOf } from "../../access/owner.ts";
import type { ApiContext } from "../../context.ts";
import { endpoint } from "../../endpoint.ts";
import { success } from "../../envelope.ts";
import { logFailure } from "../../log-failure.ts";
import { streamText } from "../../requests/stream-text.ts";
import { datasetOf } from "../datasets.ts";
import { ITEMS_QUERY, readItemsQuery } from "../items-query.ts";
import { estimateRun } from "./estimate.ts";
import { fileName, RUN_FORMATS } from "./export.ts";
import { ESTIMATE, NEW_RUN, RESUME, readTargets, settingsOf } from "./run-body.ts";
import { comparedItems, type ShownRun, shownRun } from "./shown.ts";
import { type RunTotals, totalsOf } from "./totals.ts";

const TAG = "Dataset runs";
/** Calls of a run, at most. */
const CALLS_MAX = 20_000;
const EXPORT_PAGE = 100;

/** With metrics over all of its calls. */
export type RunWithTotals = ShownRun & { readonly totals: readonly RunTotals[] };

const ITEMS = {
  limit: ITEMS_QUERY.limit,
  cursor: ITEMS_QUERY.cursor,
  errors: t.Boolean({ description: "true shows only the items that failed at a target." }),
};

/** Sends datasets again to other models, and compares the responses. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of endpoints, one statement each
export function datasetRunEndpoints(context: ApiContext, callers: Callers) {
  const find = async (request: Request, { id, run }: { readonly id: string; readonly run: string }) => {
    const caller = callers.of(request);
    const dataset = await datasetOf(context, caller.organizationId, id);
    const found = await findRun(context.current.records, dataset.id, run);
    if (found === undefined) throw new GatewayError("not_found", "the dataset has no run with this id");
    return { caller, run: found };
  };
  const shown = async (run: Run) => {
    const found = await findRun(context.current.records, run.dataset_id, run.id);
    if (found === undefined) throw new GatewayError("not_found", "the run was deleted");
    return shownRun(found);
  };
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
        const { version, label, items } = await chosenItems(context, caller, params.id, body);
        const targets = readTargets(body.targets);
        if (items === 0) {
          const why = label == null ? "add items to the dataset first" : `no item has the label "${label}"`;
          throw new GatewayError("invalid_body", `there is no item to send: ${why}`);
        }
        if (items * targets.length > CALLS_MAX)
          throw new GatewayError("invalid_body", `a run has at most ${CALLS_MAX} calls: choose items by a label`);
        const name = storable((body.name ?? targets.map((target) => target.name).join(", ")).trim().slice(0, 200));
        const run: Run = {
          ...{ id: uuidv7(), dataset_id: params.id, organization_id: caller.organizationId, name, version, label },
          ...{ targets, settings: settingsOf(body), items, state: "running", reason: null },
          ...{ created_by: ownerOf(caller).name, sender: senderOf(caller), created_at: Date.now(), finished_at: null },
        };
        await startRun((await context.writer()).records, run, actingOf(caller));
        return success(await shown(run));
      },
      {
        body: NEW_RUN,
        ...endpoint(
          TAG,
          "Run a dataset",
          "Sends every item to every target at the unified address, as requests of the caller: its models, credentials, limits and plugins count. Needs `bodies` too. It continues in the background, and after a restart.",
        ),
      },
    )
    .get(
      "/v1/datasets/:id/runs/:run",
      async ({ params, request }) => {
        const { run } = await find(request, params);
        const shown: RunWithTotals = { ...shownRun(run), totals: await totalsOf(context, run) };
        return success(shown);
      },
      endpoint(TAG, "Read a run", "How far it is, and totals of the original requests and of each target."),
    )
    .get(
      "/v1/datasets/:id/runs/:run/items",
      async ({ params, request }) => {
        const { run } = await find(request, params);
        const { limit, after } = readItemsQuery(request, run.version);
        const onlyErrors = new URL(request.url).searchParams.get("errors") === "true";
        const rows = await itemsOf(context, run, { after, limit: limit + 1, onlyErrors });
        const page = rows.slice(0, limit);
        const next = rows.length > limit ? (page.at(-1)?.id ?? null) : null;
        return success(await comparedItems(context, run, page), {}, { next_cursor: next });
      },
      endpoint(
        TAG,
        "Compare responses",
        "Item by item: the original response, and that of each target with its totals.",
        {
          query: ITEMS,
        },
      ),
    )
    .get(
      "/v1/datasets/:id/runs/:run/export",
      async ({ params, request }) => {
        const { run } = await find(request, params);
        const name = new URL(request.url).searchParams.get("format") ?? "jsonl";
        const format = Object.hasOwn(RUN_FORMATS, name) ? RUN_FORMATS[name]! : undefined;
        if (format === undefined) {
          const message = `there is no format ${quote(name)}; ${hint(name, Object.keys(RUN_FORMATS))}`;
          throw new GatewayError("invalid_body", message, { path: "format" });
        }
        async function* lines() {
          yield format!.head;
          for (let after = ""; ; ) {
            const items = await itemsOf(context, run, { after, limit: EXPORT_PAGE, onlyErrors: false });
            yield (await comparedItems(context, run, items)).map(format!.linesOf).join("");
            if (items.length < EXPORT_PAGE) return;
            after = items.at(-1)!.id;
          }
        }
        const headers = {
          "content-type": format.type,
          "content-disposition": `attachment; filename="${fileName(run, name)}"`,
        };
        return streamText(lines(), headers, (error) => logFailure(context.log, request, error));
      },
      endpoint(
        TAG,
        "Export a run",
        "`jsonl`: an item a line. `csv`: a row for the original response and one for each target.",
        {
          query: { format: t.String({ description: `${Object.keys(RUN_FORMATS).join(", ")}; default: jsonl.` }) },
          responses: { "application/x-ndjson": t.String(), "text/csv": t.String() },
        },
      ),
    )
    .post(
      "/v1/datasets/:id/runs/:run/cancel",
      async ({ params, request }) => {
        const { caller, run } = await find(request, params);
        await cancelRun((await context.writer()).records, run, actingOf(caller));
        return success(await shown(run));
      },
      endpoint(TAG, "Cancel a run", "Calls that are under way end, and are kept; no other is begun."),
    )
    .post(
      "/v1/datasets/:id/runs/:run/resume",
      async ({ params, body, request }) => {
        const { caller, run } = await find(request, params);
        require(caller, "bodies");
        const { errors: again = false, ...limits } = body;
        refuseResuming(run, again);
        const order = { again, sender: senderOf(caller), settings: { ...run.settings, ...limits } };
        await resumeRun((await context.writer()).records, run, order, actingOf(caller));
        return success(await shown(run));
      },
      {
        body: RESUME,
        ...endpoint(
          TAG,
          "Go on with a run",
          "With the calls that are not made, as requests of the caller. `errors` makes those that failed again; `max_cost` and `concurrency` take the place of those before.",
        ),
      },
    )
    .delete(
      "/v1/datasets/:id/runs/:run",
      async ({ params, request }) => {
        const { caller, run } = await find(request, params);
        await removeRun((await context.writer()).records, run, actingOf(caller));
        return success(shownRun(run));
      },
      endpoint(TAG, "Delete a run", "Its requests stay."),
    );
}

/** The selected items. @throws GatewayError `not_found`, `invalid_body`. */
async function chosenItems(
  context: ApiContext,
  caller: Caller,
  id: string,
  { version: wanted, label: given }: { readonly version?: number; readonly label?: string },
) {
  const dataset = await datasetOf(context, caller.organizationId, id);
  const version = wanted ?? dataset.version;
  if (version > dataset.version)
    throw new GatewayError("invalid_body", `version: the newest is ${dataset.version}`, { path: "version" });
  const label = given?.trim() ?? null;
  const items = await countItems(context.current.records, id, { version, label });
  return { version, label, items };
}

function itemsOf(
  context: ApiContext,
  { id, dataset_id, version, label }: Run,
  { after, limit, onlyErrors }: { readonly after: string; readonly limit: number; readonly onlyErrors: boolean },
) {
  const { records } = context.current;
  if (!onlyErrors) return listItems(records, dataset_id, { version, label, after, limit });
  return failedItems(records, id, { after, limit }).then((ids) => itemsOfVersion(records, dataset_id, version, ids));
}

function refuseResuming({ state, done, errors, items, targets }: RunProgress, again: boolean): void {
  if (state === "running") throw new GatewayError("invalid_body", "the run is under way");
  const left = items * targets.length - done + (again ? errors : 0);
  if (left > 0) return;
  const hint = errors > 0 ? ": set errors to true to make those that failed again" : "";
  throw new GatewayError("invalid_body", `all calls of the run are made${hint}`);
}

const senderOf = ({ user, key }: Caller) =>
  user === undefined ? ({ kind: "key", id: key.id } as const) : ({ kind: "user", id: user.id } as const);
