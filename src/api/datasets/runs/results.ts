import { Elysia, t } from "elysia";
import { itemPages, itemsOfVersion, listItems } from "../../../store/datasets/items.ts";
import { failedItems } from "../../../store/datasets/run-results.ts";
import type { Run } from "../../../store/datasets/runs.ts";
import type { Callers } from "../../access/callers.ts";
import type { ApiContext } from "../../context.ts";
import { endpoint } from "../../endpoint.ts";
import { success } from "../../envelope.ts";
import { formatIn, inFileName, sendFile } from "../file.ts";
import { ITEMS_QUERY, readItemsQuery } from "../items-query.ts";
import { RUN_FORMATS, type RunFormat } from "./export.ts";
import { runOf } from "./run-of.ts";
import { TAG } from "./runs.ts";
import { comparedItems, type ShownRun, shownRun } from "./shown.ts";
import { type RunTotals, totalsOf } from "./totals.ts";

const EXPORT_PAGE = 100;

/** With metrics over all of its calls. */
export type RunWithTotals = ShownRun & { readonly totals: readonly RunTotals[] };

const ITEMS = {
  limit: ITEMS_QUERY.limit,
  cursor: ITEMS_QUERY.cursor,
  errors: t.Boolean({ description: "true shows only the items that failed at a target." }),
};

/** How far a run of a dataset is, and what its targets said. */
export function runResultEndpoints(context: ApiContext, callers: Callers) {
  return new Elysia()
    .get(
      "/v1/datasets/:id/runs/:run",
      async ({ params, request }) => {
        const run = await runOf(context, callers.of(request), params);
        const shown: RunWithTotals = { ...shownRun(run), totals: await totalsOf(context, run) };
        return success(shown);
      },
      endpoint(TAG, "Read a run", "Its progress, and totals of the original requests and of each target."),
    )
    .get(
      "/v1/datasets/:id/runs/:run/items",
      async ({ params, request }) => {
        const run = await runOf(context, callers.of(request), params);
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
        { query: ITEMS },
      ),
    )
    .get(
      "/v1/datasets/:id/runs/:run/export",
      async ({ params, request }) => {
        const run = await runOf(context, callers.of(request), params);
        const { name, format } = formatIn(RUN_FORMATS, request);
        const fileName = `${inFileName(run.name, "run")}.${name}`;
        return sendFile(context, request, { name: fileName, type: format.type, pieces: linesOf(context, run, format) });
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
    );
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

async function* linesOf(context: ApiContext, run: Run, { head, linesOf }: RunFormat): AsyncGenerator<string> {
  yield head;
  const { dataset_id, version, label } = run;
  for await (const items of itemPages(context.current.records, dataset_id, { version, label, limit: EXPORT_PAGE }))
    yield (await comparedItems(context, run, items)).map(linesOf).join("");
}
