import { GatewayError } from "../../../errors.ts";
import { findRun, type RunProgress } from "../../../store/datasets/runs.ts";
import type { Caller } from "../../access/caller.ts";
import type { ApiContext } from "../../context.ts";
import { datasetOf } from "../datasets.ts";

/** A run of a dataset of the caller's organization. @throws GatewayError `not_found`. */
export async function runOf(
  context: ApiContext,
  { organizationId }: Caller,
  { id, run }: { readonly id: string; readonly run: string },
): Promise<RunProgress> {
  const dataset = await datasetOf(context, organizationId, id);
  const found = await findRun(context.current.records, dataset.id, run);
  if (found === undefined) throw new GatewayError("not_found", "the dataset has no run with this id");
  return found;
}
