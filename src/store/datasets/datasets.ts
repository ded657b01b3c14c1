import { and, eq, getTableColumns, inArray, isNull, type SQL } from "drizzle-orm";
import { GatewayError } from "../../errors.ts";
import { messageOf } from "../../log.ts";
import { datasetItems, datasetRunResults, datasetRuns, datasets } from "../../record/tables.ts";
import { over } from "../database/builder.ts";
import { patiently } from "../database/while-locked.ts";
import type { Database } from "../store.ts";

export type Dataset = typeof datasets.$inferSelect;

/** Maximum per organization. */
const DATASETS_MAX = 1_000;

/** Of one organization, by name. */
export function listDatasets(records: Database, organizationId: string): Promise<(Dataset & { items: number })[]> {
  return counted(records, eq(datasets.organization_id, organizationId));
}

export async function findDataset(
  records: Database,
  organizationId: string,
  id: string,
): Promise<(Dataset & { items: number }) | undefined> {
  return (await counted(records, and(eq(datasets.organization_id, organizationId), eq(datasets.id, id))))[0];
}

/** With the number of items in the newest version. */
async function counted(records: Database, which: SQL | undefined): Promise<(Dataset & { items: number })[]> {
  const current = and(eq(datasetItems.dataset_id, datasets.id), isNull(datasetItems.until));
  return over(records)
    .select({ ...getTableColumns(datasets), items: over(records).$count(datasetItems, current) })
    .from(datasets)
    .where(which)
    .orderBy(datasets.name);
}

/**
 * @throws GatewayError `duplicate_name` when the organization has another dataset of this name, `invalid_body` when it has
 * too many.
 */
export async function addDataset(records: Database, dataset: Dataset): Promise<void> {
  const own = eq(datasets.organization_id, dataset.organization_id);
  if ((await over(records).$count(datasets, own)) >= DATASETS_MAX)
    throw new GatewayError("invalid_body", `there are ${DATASETS_MAX} datasets already: remove one first`);
  await named(dataset.name, () => over(records).insert(datasets).values(dataset));
}

/** @throws GatewayError `duplicate_name`. */
export async function renameDataset(
  records: Database,
  id: string,
  { name, description }: Pick<Dataset, "name" | "description">,
): Promise<void> {
  const set = { name, description, updated_at: Date.now() };
  await named(name, () => over(records).update(datasets).set(set).where(eq(datasets.id, id)));
}

/** Removes a dataset with all its versions and runs. */
export async function removeDataset(records: Database, id: string): Promise<void> {
  const db = over(records);
  const runs = db.select({ id: datasetRuns.id }).from(datasetRuns).where(eq(datasetRuns.dataset_id, id));
  await patiently(() =>
    db.batch([
      db.delete(datasetRunResults).where(inArray(datasetRunResults.run_id, runs)),
      db.delete(datasetRuns).where(eq(datasetRuns.dataset_id, id)),
      db.delete(datasetItems).where(eq(datasetItems.dataset_id, id)),
      db.delete(datasets).where(eq(datasets.id, id)),
    ]),
  );
}

async function named(name: string, write: () => Promise<unknown>): Promise<void> {
  try {
    await patiently(write);
  } catch (error) {
    if (!/UNIQUE constraint failed: datasets/.test(messageOf(error))) throw error;
    throw new GatewayError("duplicate_name", `name: there is a dataset ${JSON.stringify(name)} already`, {
      path: "name",
      cause: error,
    });
  }
}
