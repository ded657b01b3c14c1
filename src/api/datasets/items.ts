import { Elysia, t } from "elysia";
import { keysOf } from "../../engine/record-source.ts";
import { GatewayError } from "../../errors.ts";
import type { Json } from "../../plugin-host/contract.ts";
import { isoTime } from "../../record/iso-time.ts";
import {
  addItems,
  alreadyIn,
  changeItem,
  type Example,
  findItem,
  type Item,
  listItems,
  removeItems,
} from "../../store/datasets/items.ts";
import { type Caller, require } from "../access/caller.ts";
import type { Callers } from "../access/callers.ts";
import { CHANGED_MAX, SELECTION, type Selection, type Step, selected } from "../changes/selection.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import { recordsNamed } from "../named.ts";
import { readRecords } from "../requests/respond.ts";
import { datasetOf, TAG } from "./datasets.ts";
import { exampleOf } from "./example.ts";
import { ITEM_CHANGES, type ItemBody, NEW_ITEM, readExample } from "./item-body.ts";
import { ITEMS_QUERY, readItemsQuery } from "./items-query.ts";

/** Items of a dataset, at most. */
const ITEMS_MAX = 100_000;

const strict = { additionalProperties: false };
const NEW_ITEMS = t.Object(
  {
    ...SELECTION,
    items: t.Optional(
      t.Array(NEW_ITEM, { maxItems: CHANGED_MAX, description: "Examples that are written, not recorded." }),
    ),
    labels: t.Optional(ITEM_CHANGES.properties.labels),
  },
  strict,
);
const REMOVAL = t.Object({ ids: t.Array(t.String(), { maxItems: CHANGED_MAX, description: "Ids of items." }) }, strict);

/** An item as the API shows it. */
export type ShownItem = Omit<Item, "created_at"> & { readonly created_at: string };

/** The examples in a dataset. Every change makes a new version. */
export function datasetItemEndpoints(context: ApiContext, callers: Callers) {
  const { records } = context.current;
  const find = async (request: Request, id: string) => {
    const caller = callers.of(request);
    return { caller, dataset: await datasetOf(context, caller.organizationId, id) };
  };
  const respond = async (caller: Caller, id: string, more: object, beside: Readonly<Record<string, unknown>> = {}) => {
    const { version, items } = await datasetOf(context, caller.organizationId, id);
    return success({ ...more, version, items }, {}, beside);
  };

  return new Elysia()
    .get(
      "/v1/datasets/:id/items",
      async ({ params, request }) => {
        const { dataset } = await find(request, params.id);
        const { limit, after, version } = readItemsQuery(request, dataset.version);
        const rows = await listItems(records, dataset.id, { version, after, limit: limit + 1 });
        const page = rows.slice(0, limit);
        const next = rows.length > limit ? (page.at(-1)?.id ?? null) : null;
        return success(page.map(shownItem), {}, { next_cursor: next, version });
      },
      endpoint(TAG, "List the items of a dataset", "In the order in which they were added, of any version.", {
        query: ITEMS_QUERY,
      }),
    )
    .post(
      "/v1/datasets/:id/items",
      async ({ params, body, request }) => {
        const { caller, dataset } = await find(request, params.id);
        const { items, labels, ...selection } = body;
        if (items !== undefined && (selection.requestIds ?? selection.filter) !== undefined)
          throw new GatewayError("invalid_body", "give either items, or choose requests with requestIds or filter");
        const made =
          items === undefined
            ? await fromRequests(context, request, caller, { datasetId: dataset.id, selection })
            : { examples: items.map((item, at) => readExample(item, `items.${at}`)), skipped: [], next: null };
        refuseTooMany(dataset.items + made.examples.length);
        const examples = labels === undefined ? made.examples : made.examples.map((each) => ({ ...each, labels }));
        const ids = await addItems((await context.writer()).records, dataset.id, examples);
        return respond(caller, dataset.id, { ids, skipped: made.skipped }, { next_cursor: made.next });
      },
      {
        body: NEW_ITEMS,
        ...endpoint(
          TAG,
          "Put requests, or examples, into a dataset",
          `By ids, by a filter (up to ${CHANGED_MAX} in one call; \`next_cursor\` as \`cursor\` continues), or as \`items\`. Needs \`bodies\` too. A request that is in it already, or holds no conversation, is in \`skipped\`.`,
        ),
      },
    )
    .patch(
      "/v1/datasets/:id/items/:item",
      async ({ params, body, request }) => {
        const { caller, dataset } = await find(request, params.id);
        require(caller, "bodies");
        const item = await findItem(records, dataset.id, params.item);
        if (item === undefined) throw new GatewayError("not_found", "the newest version has no item with this id");
        const changed = { ...item, ...readExample(merged(item, body), ""), request_id: item.request_id };
        await changeItem((await context.writer()).records, dataset.id, changed);
        return success(shownItem((await findItem(context.current.records, dataset.id, item.id)) ?? changed));
      },
      { body: ITEM_CHANGES, ...endpoint(TAG, "Change an item", "Its earlier state stays in earlier versions.") },
    )
    .delete(
      "/v1/datasets/:id/items",
      async ({ params, body, request }) => {
        const { caller, dataset } = await find(request, params.id);
        const removed = await removeItems((await context.writer()).records, dataset.id, body.ids);
        return respond(caller, dataset.id, { removed });
      },
      {
        body: REMOVAL,
        ...endpoint(
          TAG,
          "Remove items from a dataset",
          "They stay in earlier versions. Deleting their requests removes them from all versions.",
        ),
      },
    );
}

function refuseTooMany(items: number): void {
  if (items > ITEMS_MAX) throw new GatewayError("invalid_body", `a dataset has at most ${ITEMS_MAX} items`);
}

/** Examples from one step of a selection, in the order in which the requests were made. */
async function fromRequests(
  context: ApiContext,
  request: Request,
  caller: Caller,
  { datasetId, selection }: { readonly datasetId: string; readonly selection: Selection },
) {
  require(caller, "bodies");
  const step: Step = (await selected(context, caller, selection).next()).value!;
  if (selection.requestIds !== undefined) await recordsNamed(context, caller.organizationId, step.ids);
  const there = await alreadyIn(context.current.records, datasetId, step.ids);
  const skipped = step.ids
    .filter((id) => there.has(id))
    .map((request_id) => skip(request_id, "it is in the dataset already"));
  const wanted = step.ids.filter((id) => !there.has(id));
  const examples: (Example & { readonly time: string })[] = [];
  const found = new Set<string>();
  const keys = keysOf(wanted);
  const toShow = { organizationId: caller.organizationId, sight: caller.sight, keys };
  for await (const record of readRecords(context, request, toShow)) {
    found.add(record.request_id);
    const example = exampleOf(record);
    if (example === undefined) skipped.push(skip(record.request_id, "no conversation of it was recorded"));
    else examples.push({ ...example, time: record.request_created_at });
  }
  for (const id of wanted) if (!found.has(id)) skipped.push(skip(id, "there is no such request"));
  examples.sort((a, b) => (a.time < b.time ? -1 : 1));
  return { examples: examples as readonly Example[], skipped, next: step.next };
}

function merged({ input, output, labels, note }: Item, changes: Partial<ItemBody>): ItemBody {
  return { input, output, labels: [...labels], note, ...changes };
}

const skip = (request_id: string, why: string): Json => ({ request_id, why });

export function shownItem({ created_at, ...item }: Item): ShownItem {
  return { ...item, created_at: isoTime(created_at) };
}
