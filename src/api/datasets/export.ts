import { Elysia, t } from "elysia";
import { GatewayError } from "../../errors.ts";
import { hint, quote } from "../../filter/spelling.ts";
import { listItems } from "../../store/datasets/items.ts";
import type { Callers } from "../access/callers.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { logFailure } from "../log-failure.ts";
import { streamText } from "../requests/stream-text.ts";
import { datasetOf, TAG } from "./datasets.ts";
import { FORMATS } from "./formats.ts";
import { shownItem } from "./items.ts";
import { ITEMS_QUERY, readItemsQuery } from "./items-query.ts";

const PAGE = 200;
const QUERY = {
  format: t.String({ description: `${Object.keys(FORMATS).join(", ")}; default: jsonl.` }),
  label: t.String({ description: "Only items with this label." }),
  version: ITEMS_QUERY.version,
};

/** A dataset as a file. */
export function datasetExportEndpoint(context: ApiContext, callers: Callers) {
  return new Elysia().get(
    "/v1/datasets/:id/export",
    async ({ params, request }) => {
      const dataset = await datasetOf(context, callers.of(request).organizationId, params.id);
      const { version } = readItemsQuery(request, dataset.version);
      const query = new URL(request.url).searchParams;
      const format = query.get("format") ?? "jsonl";
      const label = query.get("label");
      const lineOf = Object.hasOwn(FORMATS, format) ? FORMATS[format]! : undefined;
      if (lineOf === undefined) {
        const message = `there is no format ${quote(format)}; ${hint(format, Object.keys(FORMATS))}`;
        throw new GatewayError("invalid_body", message, { path: "format" });
      }
      async function* lines() {
        for (let after = ""; ; ) {
          const items = await listItems(context.current.records, dataset.id, { version, label, after, limit: PAGE });
          const made = items.map((item) => lineOf!(format === "jsonl" ? (shownItem(item) as never) : item));
          yield made.map((each) => ("line" in each ? `${JSON.stringify(each.line)}\n` : "")).join("");
          if (items.length < PAGE) return;
          after = items.at(-1)!.id;
        }
      }
      const name = `${dataset.name.replace(/[^\w.-]+/g, "-").slice(0, 60) || "dataset"}-v${version}-${format}.jsonl`;
      const headers = {
        "content-type": "application/x-ndjson; charset=utf-8",
        "content-disposition": `attachment; filename="${name}"`,
      };
      return streamText(lines(), headers, (error) => logFailure(context.log, request, error));
    },
    endpoint(
      TAG,
      "Export a dataset",
      "One JSON object per line. `openai` and `anthropic` are for fine-tuning, `sharegpt` for trainers of open models, `fixtures` for tests (request and response), `jsonl` for everything. Items without an output are omitted if the format needs one.",
      { query: QUERY, responses: { "application/x-ndjson": t.String() } },
    ),
  );
}
