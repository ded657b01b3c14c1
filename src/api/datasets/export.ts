import { Elysia, t } from "elysia";
import { type Item, itemPages } from "../../store/datasets/items.ts";
import type { Callers } from "../access/callers.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { datasetOf, TAG } from "./datasets.ts";
import { formatIn, inFileName, sendFile } from "./file.ts";
import { FORMATS, type Format } from "./formats.ts";
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
      const { name, format } = formatIn(FORMATS, request);
      const label = new URL(request.url).searchParams.get("label");
      const pages = itemPages(context.current.records, dataset.id, { version, label, limit: PAGE });
      return sendFile(context, request, {
        name: `${inFileName(dataset.name, "dataset")}-v${version}-${name}.jsonl`,
        type: "application/x-ndjson; charset=utf-8",
        pieces: linesOf(pages, format),
      });
    },
    endpoint(
      TAG,
      "Export a dataset",
      "One JSON object per line. `openai` and `anthropic` are for fine-tuning, `sharegpt` for trainers of open models, `fixtures` for tests (request and response), `jsonl` for everything. Items without an output are omitted if the format needs one.",
      { query: QUERY, responses: { "application/x-ndjson": t.String() } },
    ),
  );
}

async function* linesOf(pages: AsyncIterable<readonly Item[]>, format: Format): AsyncGenerator<string> {
  for await (const items of pages) {
    const made = items.map(format);
    yield made.map((each) => ("line" in each ? `${JSON.stringify(each.line)}\n` : "")).join("");
  }
}
