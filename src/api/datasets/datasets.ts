import { Elysia, t } from "elysia";
import { GatewayError } from "../../errors.ts";
import { isoTime } from "../../record/iso-time.ts";
import { storable } from "../../record/storable.ts";
import { uuidv7 } from "../../runtime/uuid.ts";
import {
  addDataset,
  type Dataset,
  findDataset,
  listDatasets,
  removeDataset,
  renameDataset,
} from "../../store/datasets/datasets.ts";
import { listVersions } from "../../store/datasets/items.ts";
import type { Callers } from "../access/callers.ts";
import { ownerOf } from "../access/owner.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";

export const TAG = "Datasets";

const NAMING = {
  name: t.String({
    minLength: 1,
    maxLength: 100,
    pattern: "\\S",
    expects: "give 1 to 100 characters, not only blanks",
  }),
  description: t.Optional(t.String({ maxLength: 2_000 })),
};
const strict = { additionalProperties: false };
const NEW = t.Object(NAMING, strict);
const CHANGES = t.Partial(NEW, strict);

/** A dataset as the API shows it. */
export interface ShownDataset {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly version: number;
  /** In the newest version. */
  readonly items: number;
  readonly created_by: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A dataset of the caller's organization. @throws GatewayError `not_found`. */
export async function datasetOf(context: ApiContext, organizationId: string, id: string) {
  const found = await findDataset(context.current.records, organizationId, id);
  if (found === undefined) throw new GatewayError("not_found", "there is no dataset with this id");
  return found;
}

/** Named, versioned collections of examples. */
export function datasetEndpoints(context: ApiContext, callers: Callers) {
  const { records } = context.current;
  return new Elysia()
    .get(
      "/v1/datasets",
      async ({ request }) => {
        const all = await listDatasets(records, callers.of(request).organizationId);
        return success(all.map(shownDataset));
      },
      endpoint(TAG, "List datasets", "By name."),
    )
    .post(
      "/v1/datasets",
      async ({ body: { name, description = "" }, request }) => {
        const caller = callers.of(request);
        const now = Date.now();
        const dataset: Dataset = {
          ...{ id: uuidv7(), organization_id: caller.organizationId, name: storable(name.trim()) },
          ...{ description: storable(description), version: 0, created_by: ownerOf(caller).name },
          ...{ created_at: now, updated_at: now },
        };
        await addDataset((await context.writer()).records, dataset);
        return success(shownDataset({ ...dataset, items: 0 }));
      },
      { body: NEW, ...endpoint(TAG, "Create a dataset") },
    )
    .get(
      "/v1/datasets/:id",
      async ({ params, request }) =>
        success(shownDataset(await datasetOf(context, callers.of(request).organizationId, params.id))),
      endpoint(TAG, "Read one dataset"),
    )
    .patch(
      "/v1/datasets/:id",
      async ({ params, body, request }) => {
        const { organizationId } = callers.of(request);
        const { id, ...old } = await datasetOf(context, organizationId, params.id);
        const { name = old.name, description = old.description } = body;
        const naming = { name: storable(name.trim()), description: storable(description) };
        await renameDataset((await context.writer()).records, id, naming);
        return success(shownDataset(await datasetOf(context, organizationId, id)));
      },
      { body: CHANGES, ...endpoint(TAG, "Rename or describe a dataset") },
    )
    .delete(
      "/v1/datasets/:id",
      async ({ params, request }) => {
        const dataset = await datasetOf(context, callers.of(request).organizationId, params.id);
        await removeDataset((await context.writer()).records, dataset.id);
        return success(shownDataset(dataset));
      },
      endpoint(TAG, "Delete a dataset", "With all of its versions. This cannot be undone."),
    )
    .get(
      "/v1/datasets/:id/versions",
      async ({ params, request }) => {
        const { id } = await datasetOf(context, callers.of(request).organizationId, params.id);
        return success(await listVersions(records, id));
      },
      endpoint(
        TAG,
        "List the versions of a dataset",
        "The newest first: how many items were `added` and `removed`. A changed item counts as both.",
      ),
    );
}

function shownDataset({
  created_at,
  updated_at,
  organization_id: _,
  ...dataset
}: Dataset & { items: number }): ShownDataset {
  return { ...dataset, created_at: isoTime(created_at), updated_at: isoTime(updated_at) };
}
