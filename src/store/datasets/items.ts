import type { Json } from "../../plugin/contract.ts";
import { uuidv7 } from "../../runtime/uuid.ts";
import { patiently } from "../database/patiently.ts";
import type { Database, Statement } from "../store.ts";

/** What an example says. */
export interface Example {
  /** Of the request that it was made of; null of one that was written. */
  readonly request_id: string | null;
  /** `{messages, tools?}` as OpenAI's chat completions have them. */
  readonly input: Json;
  /** The assistant's message, or null. */
  readonly output: Json;
  readonly labels: readonly string[];
  readonly note: string;
}

export interface Item extends Example {
  readonly id: string;
  /** The version that this state came with. */
  readonly version: number;
  /** When it was added, in milliseconds since 1970. */
  readonly created_at: number;
}

interface Row {
  readonly id: string;
  readonly since: number;
  readonly request_id: string | null;
  readonly input: string;
  readonly output: string | null;
  readonly labels: string;
  readonly note: string;
  readonly created_at: number;
}

export interface ItemsPage {
  readonly version: number;
  /** Id of the last item before the page. */
  readonly after: string;
  readonly limit: number;
  /** Only items with this label. */
  readonly label?: string | null;
}

/** Those of a version `?2`, with a label `?3` unless that is null. */
const CHOSEN = `dataset_id = ?1 and since <= ?2 and (until is null or until > ?2)
    and (?3 is null or exists (select 1 from json_each(labels) where value = ?3))`;

/** Items of one version, in the order in which they were added. */
export async function listItems(
  records: Database,
  datasetId: string,
  { version, after, limit, label = null }: ItemsPage,
): Promise<Item[]> {
  const sql = `select id, since, request_id, input, output, labels, note, created_at from dataset_items
    where ${CHOSEN} and id > ?4 order by id limit ?5`;
  return (await records.query<Row>({ sql, args: [datasetId, version, label, after, limit] })).map(toItem);
}

/** Items of one version by their ids, in their order. */
export async function itemsOfVersion(
  records: Database,
  datasetId: string,
  version: number,
  ids: readonly string[],
): Promise<Item[]> {
  const sql = `select id, since, request_id, input, output, labels, note, created_at from dataset_items
    where ${CHOSEN} and id in (select value from json_each(?4)) order by id`;
  return (await records.query<Row>({ sql, args: [datasetId, version, null, JSON.stringify(ids)] })).map(toItem);
}

export async function countItems(
  records: Database,
  datasetId: string,
  { version, label = null }: Pick<ItemsPage, "version" | "label">,
): Promise<number> {
  const sql = `select count(*) as n from dataset_items where ${CHOSEN}`;
  return (await records.query<{ n: number }>({ sql, args: [datasetId, version, label] }))[0]!.n;
}

/** As it is in the newest version. */
export async function findItem(records: Database, datasetId: string, id: string): Promise<Item | undefined> {
  const sql = "select * from dataset_items where dataset_id = ? and id = ? and until is null";
  return (await records.query<Row>({ sql, args: [datasetId, id] })).map(toItem)[0];
}

/** Of these requests, those that an item of the newest version was made of. */
export async function alreadyIn(
  records: Database,
  datasetId: string,
  requestIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const sql = `select request_id from dataset_items
    where dataset_id = ? and until is null and request_id in (select value from json_each(?))`;
  const rows = await records.query<{ request_id: string }>({ sql, args: [datasetId, JSON.stringify(requestIds)] });
  return new Set(rows.map(({ request_id }) => request_id));
}

/** When each version was made; one that changed nothing is not there. */
export async function listVersions(
  records: Database,
  datasetId: string,
): Promise<{ version: number; added: number; removed: number }[]> {
  const sql = `select version, sum(added) as added, sum(removed) as removed from (
      select since as version, 1 as added, 0 as removed from dataset_items where dataset_id = ?1
      union all
      select until, 0, 1 from dataset_items where dataset_id = ?1 and until is not null
    ) group by version order by version desc`;
  return records.query({ sql, args: [datasetId] });
}

/** A new version with these examples behind the others. @returns their ids. */
export async function addItems(records: Database, datasetId: string, examples: readonly Example[]): Promise<string[]> {
  const ids = examples.map(() => uuidv7());
  const inserts = examples.map((example, index) => insertion(datasetId, ids[index]!, example, Date.now()));
  if (examples.length > 0) await patiently(() => records.batch([nextVersion(datasetId), ...inserts]));
  return ids;
}

/** A new version in which the item says something else. */
export async function changeItem(records: Database, datasetId: string, item: Item): Promise<void> {
  await patiently(() =>
    records.batch([
      nextVersion(datasetId),
      ending(datasetId, [item.id]),
      insertion(datasetId, item.id, item, item.created_at),
    ]),
  );
}

/** A new version without these items. @returns how many of them there were. */
export async function removeItems(records: Database, datasetId: string, ids: readonly string[]): Promise<number> {
  const sql = `select count(*) as n from dataset_items
    where dataset_id = ? and until is null and id in (select value from json_each(?))`;
  const [counted] = await records.query<{ n: number }>({ sql, args: [datasetId, JSON.stringify(ids)] });
  if (counted!.n > 0) await patiently(() => records.batch([nextVersion(datasetId), ending(datasetId, ids)]));
  return counted!.n;
}

/** Takes what was made of deleted requests out of every version, for good. */
export async function forgetRequests(
  records: Database,
  organizationId: string,
  requestIds: readonly string[],
): Promise<void> {
  const args = [JSON.stringify(requestIds), organizationId];
  const made = `select id from dataset_items where request_id in (select value from json_each(?1))
    and dataset_id in (select id from datasets where organization_id = ?2)`;
  const runs = "select id from dataset_runs where organization_id = ?2";
  const statements = [
    // Answers to what is deleted, and answers that are deleted themselves.
    `delete from dataset_run_results where item_id in (${made}) and run_id in (${runs})`,
    `delete from dataset_run_results where request_id in (select value from json_each(?1)) and run_id in (${runs})`,
    `delete from dataset_items where request_id in (select value from json_each(?1))
      and dataset_id in (select id from datasets where organization_id = ?2)`,
  ];
  await patiently(() => records.batch(statements.map((sql) => ({ sql, args }))));
}

const CURRENT = "(select version from datasets where id = ?)";

const nextVersion = (datasetId: string): Statement => ({
  sql: "update datasets set version = version + 1, updated_at = ? where id = ?",
  args: [Date.now(), datasetId],
});

const ending = (datasetId: string, ids: readonly string[]): Statement => ({
  sql: `update dataset_items set until = ${CURRENT}
    where dataset_id = ? and until is null and id in (select value from json_each(?))`,
  args: [datasetId, datasetId, JSON.stringify(ids)],
});

function insertion(datasetId: string, id: string, example: Example, createdAt: number): Statement {
  const { request_id, input, output, labels, note } = example;
  return {
    sql: `insert into dataset_items (dataset_id, id, since, request_id, input, output, labels, note, created_at)
      values (?, ?, ${CURRENT}, ?, ?, ?, ?, ?, ?)`,
    args: [
      ...[datasetId, id, datasetId, request_id, JSON.stringify(input)],
      ...[output === null ? null : JSON.stringify(output), JSON.stringify(labels), note, createdAt],
    ],
  };
}

function toItem({ since, input, output, labels, ...row }: Row): Item {
  return {
    ...{ id: row.id, version: since, request_id: row.request_id },
    ...{ input: JSON.parse(input), output: output === null ? null : JSON.parse(output) },
    ...{ labels: JSON.parse(labels), note: row.note, created_at: row.created_at },
  };
}
