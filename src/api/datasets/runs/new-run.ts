import type { Static } from "elysia";
import { GatewayError } from "../../../errors.ts";
import { storable } from "../../../record/storable.ts";
import { uuidv7 } from "../../../runtime/uuid.ts";
import { countItems } from "../../../store/datasets/items.ts";
import type { Run } from "../../../store/datasets/runs.ts";
import type { Caller } from "../../access/caller.ts";
import { ownerOf } from "../../access/owner.ts";
import type { ApiContext } from "../../context.ts";
import { datasetOf } from "../datasets.ts";
import { type NEW_RUN, readTargets, settingsOf } from "./run-body.ts";

/** Calls of a run, at most. */
const CALLS_MAX = 20_000;

/** A run that may start. @throws GatewayError `not_found`, `invalid_body`. */
export async function newRun(
  context: ApiContext,
  caller: Caller,
  datasetId: string,
  body: Static<typeof NEW_RUN>,
): Promise<Run> {
  const { version, label, items } = await chosenItems(context, caller, datasetId, body);
  const targets = readTargets(body.targets);
  if (items === 0) {
    const why = label == null ? "add items to the dataset first" : `no item has the label "${label}"`;
    throw new GatewayError("invalid_body", `there is no item to send: ${why}`);
  }
  if (items * targets.length > CALLS_MAX)
    throw new GatewayError("invalid_body", `a run has at most ${CALLS_MAX} calls: choose items by a label`);
  const name = storable((body.name ?? targets.map((target) => target.name).join(", ")).trim().slice(0, 200));
  return {
    ...{ id: uuidv7(), dataset_id: datasetId, organization_id: caller.organizationId, name, version, label },
    ...{ targets, settings: settingsOf(body), items, state: "running", reason: null },
    ...{ created_by: ownerOf(caller).name, sender: senderOf(caller), created_at: Date.now(), finished_at: null },
  };
}

/** The selected items. @throws GatewayError `not_found`, `invalid_body`. */
export async function chosenItems(
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

/** Whose requests the calls of a run are. */
export const senderOf = ({ user, key }: Caller) =>
  user === undefined ? ({ kind: "key", id: key.id } as const) : ({ kind: "user", id: user.id } as const);
