import { GatewayError } from "../../errors.ts";
import { messageOf } from "../../observe.ts";
import { patiently } from "../database/patiently.ts";
import type { Database, Statement } from "../store.ts";

export interface Dataset {
  readonly id: string;
  readonly organization_id: string;
  readonly name: string;
  readonly description: string;
  /** Grows by one with each change of its items. */
  readonly version: number;
  readonly created_by: string;
  /** Milliseconds since 1970. */
  readonly created_at: number;
  readonly updated_at: number;
}

/** An organization has so many at most. */
const DATASETS_MAX = 1_000;
const COLUMNS = "id, organization_id, name, description, version, created_by, created_at, updated_at";
/** Items of the newest version of a dataset `d`. */
const ITEMS = "(select count(*) from dataset_items i where i.dataset_id = d.id and i.until is null) as items";

/** Of one organization, by name. */
export function listDatasets(records: Database, organizationId: string): Promise<(Dataset & { items: number })[]> {
  const sql = `select ${COLUMNS}, ${ITEMS} from datasets d where organization_id = ? order by name`;
  return records.query({ sql, args: [organizationId] });
}

export async function findDataset(
  records: Database,
  organizationId: string,
  id: string,
): Promise<(Dataset & { items: number }) | undefined> {
  const sql = `select ${COLUMNS}, ${ITEMS} from datasets d where organization_id = ? and id = ?`;
  return (await records.query<Dataset & { items: number }>({ sql, args: [organizationId, id] }))[0];
}

/** @throws GatewayError `duplicate_name` where the organization has another one of the name, `invalid_body` where it has too many. */
export async function addDataset(records: Database, dataset: Dataset): Promise<void> {
  const { id, organization_id, name, description, version, created_by, created_at, updated_at } = dataset;
  const sql = "select count(*) as n from datasets where organization_id = ?";
  const [counted] = await records.query<{ n: number }>({ sql, args: [organization_id] });
  if (counted!.n >= DATASETS_MAX)
    throw new GatewayError("invalid_body", `there are ${DATASETS_MAX} datasets already: remove one first`);
  await named(name, () =>
    records.batch([
      {
        sql: `insert into datasets (${COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?)`,
        args: [id, organization_id, name, description, version, created_by, created_at, updated_at],
      },
    ]),
  );
}

/** @throws GatewayError `duplicate_name`. */
export async function renameDataset(
  records: Database,
  id: string,
  { name, description }: Pick<Dataset, "name" | "description">,
): Promise<void> {
  const sql = "update datasets set name = ?, description = ?, updated_at = ? where id = ?";
  await named(name, () => records.batch([{ sql, args: [name, description, Date.now(), id] }]));
}

/** With all of its versions and runs. */
export async function removeDataset(records: Database, id: string): Promise<void> {
  const statements: Statement[] = [
    {
      sql: "delete from dataset_run_results where run_id in (select id from dataset_runs where dataset_id = ?)",
      args: [id],
    },
    { sql: "delete from dataset_runs where dataset_id = ?", args: [id] },
    { sql: "delete from dataset_items where dataset_id = ?", args: [id] },
    { sql: "delete from datasets where id = ?", args: [id] },
  ];
  await patiently(() => records.batch(statements));
}

async function named(name: string, write: () => Promise<void>): Promise<void> {
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
