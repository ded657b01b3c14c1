import { Type as t } from "@sinclair/typebox";
import type { Json } from "../../../plugin-host/contract.ts";
import { pageOf, rowsWithin, shortened } from "../bounds.ts";
import { CHOICE, chosen, limit, NEXT_OFFSET, OFFSET } from "../inputs.ts";
import { type Tool, ToolError, tool } from "../tool.ts";

const ITEMS = 20;
const ITEMS_MAX = 100;
const ADDED_MAX = 1_000;
/** Characters of an item, and of each text and message of an item that is longer. */
const ITEM_CHARS_MAX = 12_000;
const TEXT_CHARS = 1_000;
const MESSAGES = 6;

const DATASET = t.String({
  minLength: 1,
  description: "The dataset's id, as list_datasets gives it.",
  examples: ["01a21a30-f2d1-71ab-b1cc-9bfb9ee10307"],
});
const itemsOf = (dataset: string) => `/v1/datasets/${encodeURIComponent(dataset)}/items`;

export const DATASET_TOOLS: readonly Tool[] = [
  tool({
    name: "list_datasets",
    title: "List datasets",
    description:
      "Datasets of examples that were made of requests or written, by name: id, description, how many items, and the newest version.",
    endpoint: "GET /v1/datasets",
    input: t.Object({ offset: OFFSET }, { additionalProperties: false }),
    output: { datasets: { type: "array", items: { type: "object" } }, next_offset: NEXT_OFFSET },
    async call(ask, { offset = 0 }) {
      const found = (await ask("GET", "/v1/datasets")).data.slice(offset);
      const { rows, ...rest } = pageOf(found, offset, found.length);
      return { datasets: rows, ...rest };
    },
  }),
  tool({
    name: "get_dataset_items",
    title: "Read the items of a dataset",
    description:
      "Examples of a dataset in the order in which they were added: input (messages, tools), the right output, labels, note, and the request that each was made of.",
    endpoint: "GET /v1/datasets/:id/items",
    input: t.Object(
      {
        dataset: DATASET,
        version: t.Optional(t.Integer({ minimum: 0, description: "Default: the newest." })),
        limit: limit(ITEMS_MAX, ITEMS),
        cursor: t.Optional(t.String({ description: "next_cursor of the result before." })),
      },
      { additionalProperties: false },
    ),
    output: {
      items: { type: "array", items: { type: "object" } },
      version: { type: "integer" },
      next_cursor: { type: ["string", "null"] },
    },
    async call(ask, { dataset, version, limit = ITEMS, cursor }) {
      const query = new URLSearchParams({ limit: String(limit) });
      if (version !== undefined) query.set("version", String(version));
      if (cursor !== undefined) query.set("cursor", cursor);
      const found = await ask("GET", `${itemsOf(dataset)}?${query}`);
      const items: readonly Json[] = rowsWithin(found.data.map(bounded));
      // The cursor of items is the id of the last one.
      const isWhole = items.length === found.data.length;
      return { items, version: found.version, next_cursor: isWhole ? found.next_cursor : items.at(-1).id };
    },
  }),
];

/** A long example keeps its last messages, each shortened: a model that needs all of it reads the request. */
function bounded(item: Json): Json {
  if (JSON.stringify(item).length <= ITEM_CHARS_MAX) return item;
  const messages: readonly Json[] = item.input.messages;
  const short = ({ content, ...message }: Json): Json => ({
    ...message,
    content: shortened(typeof content === "string" ? content : JSON.stringify(content ?? null), TEXT_CHARS),
  });
  return {
    ...item,
    input: { messages: messages.slice(-MESSAGES).map(short), messages_before: Math.max(0, messages.length - MESSAGES) },
    output: item.output === null ? null : short(item.output),
    is_cut: true,
  };
}

/** Only for keys that may write. */
export const DATASET_CHANGES: readonly Tool[] = [
  tool({
    name: "add_to_dataset",
    title: "Put requests into a dataset",
    description:
      "Makes examples of recorded requests, named by their ids or chosen by a filter, and adds them to a dataset. Requests that are in it already, or hold no conversation, are in skipped. Needs to read what was said.",
    endpoint: "POST /v1/datasets/:id/items",
    writes: true,
    input: t.Object(
      {
        dataset: DATASET,
        request_ids: t.Optional(
          t.Array(t.String(), { minItems: 1, maxItems: ADDED_MAX, description: "In place of a filter." }),
        ),
        ...CHOICE,
        labels: t.Optional(t.Array(t.String(), { description: "Set on all of them.", examples: [["hard"]] })),
        limit: limit(ADDED_MAX, ADDED_MAX),
      },
      { additionalProperties: false },
    ),
    output: {
      added: { type: "integer" },
      skipped: { type: "array", items: { type: "object" } },
      version: { type: "integer" },
      items: { type: "integer", description: "In the dataset now." },
    },
    async call(ask, { dataset, request_ids, labels, limit: most, ...choice }) {
      const isNamed = request_ids !== undefined;
      const isChosen = Object.values(choice).some((value) => value !== undefined);
      if (isNamed && most !== undefined) throw new ToolError("limit is for a filter: name fewer request_ids");
      // No selection would mean every request.
      if (isNamed === isChosen)
        throw new ToolError("say which requests: by request_ids, or by filter, last, since and until");
      const which = isNamed ? { requestIds: request_ids } : { filter: chosen(choice), limit: most ?? ADDED_MAX };
      const { data } = await ask("POST", itemsOf(dataset), { ...which, ...(labels && { labels }) });
      return { added: data.ids.length, skipped: rowsWithin(data.skipped), version: data.version, items: data.items };
    },
  }),
];
