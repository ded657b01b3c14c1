import { and, eq, gt, inArray, isNotNull, isNull, lte, or, sql } from "drizzle-orm";
import type { Json } from "../../plugin-host/contract.ts";
import { datasetItems, datasetRunResults, datasetRuns, datasets } from "../../record/tables.ts";
import { uuidv7 } from "../../runtime/uuid.ts";
import { type Builder, isOneOf, over, statementOf } from "../database/builder.ts";
import { patiently } from "../database/while-locked.ts";
import type { Database } from "../store.ts";

/** The content of an item. */
export interface Example {
  /** The request that it was made from; null for a written example. */
  readonly request_id: string | null;
  /** `{messages, tools?}` in the format of OpenAI's chat completions. */
  readonly input: Json;
  /** The assistant's message, or null. */
  readonly output: Json;
  readonly labels: readonly string[];
  readonly note: string;
}

export interface Item extends Example {
  readonly id: string;
  /** The version that introduced this state. */
  readonly version: number;
  /** When it was added, in milliseconds since 1970. */
  readonly created_at: number;
}

type Row = typeof datasetItems.$inferSelect;

interface ItemsPage {
  readonly version: number;
  /** Id of the last item of the previous page. */
  readonly after: string;
  readonly limit: number;
  /** Only items with this label. */
  readonly label?: string | null;
}

const { dataset_id, id: item, since, until, request_id, labels } = datasetItems;

/** Items of a version, with this label if it is not null. */
const chosen = (datasetId: string, version: number, label: string | null) =>
  and(
    eq(dataset_id, datasetId),
    lte(since, version),
    or(isNull(until), gt(until, version)),
    label === null ? undefined : sql`exists (select 1 from json_each(${labels}) where value = ${label})`,
  );

/** Items of the newest version. */
const current = (datasetId: string) => and(eq(dataset_id, datasetId), isNull(until));

/** Items of one version, in the order in which they were added. */
export async function listItems(
  records: Database,
  datasetId: string,
  { version, after, limit, label = null }: ItemsPage,
): Promise<Item[]> {
  const rows = await over(records)
    .select()
    .from(datasetItems)
    .where(and(chosen(datasetId, version, label), gt(item, after)))
    .orderBy(item)
    .limit(limit);
  return rows.map(toItem);
}

/** All items of a version, page by page, in the order in which they were added; the last page may be empty. */
export async function* itemPages(
  records: Database,
  datasetId: string,
  { version, limit, label = null }: Omit<ItemsPage, "after">,
): AsyncGenerator<readonly Item[]> {
  for (let after = ""; ; ) {
    const items = await listItems(records, datasetId, { version, after, limit, label });
    yield items;
    if (items.length < limit) return;
    after = items.at(-1)!.id;
  }
}

/** Items of one version by id, in the order of the version. */
export async function itemsOfVersion(
  records: Database,
  datasetId: string,
  version: number,
  ids: readonly string[],
): Promise<Item[]> {
  const which = and(chosen(datasetId, version, null), isOneOf(item, ids));
  return (await over(records).select().from(datasetItems).where(which).orderBy(item)).map(toItem);
}

export async function countItems(
  records: Database,
  datasetId: string,
  { version, label = null }: Pick<ItemsPage, "version" | "label">,
): Promise<number> {
  return over(records).$count(datasetItems, chosen(datasetId, version, label));
}

/** The item in the newest version. */
export async function findItem(records: Database, datasetId: string, id: string): Promise<Item | undefined> {
  const which = and(current(datasetId), eq(item, id));
  return (await over(records).select().from(datasetItems).where(which)).map(toItem)[0];
}

/** Those of these requests that items of the newest version were made from. */
export async function alreadyIn(
  records: Database,
  datasetId: string,
  requestIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const which = and(current(datasetId), isOneOf(request_id, requestIds));
  const rows = await over(records).select({ request: request_id }).from(datasetItems).where(which);
  return new Set(rows.map(({ request }) => request!));
}

/** When each version was created; versions without changes are left out. */
export async function listVersions(
  records: Database,
  datasetId: string,
): Promise<{ version: number; added: number; removed: number }[]> {
  const changes = sql`select version, sum(added) as added, sum(removed) as removed from (
      select since as version, 1 as added, 0 as removed from ${datasetItems} where ${eq(dataset_id, datasetId)}
      union all
      select until, 0, 1 from ${datasetItems} where ${and(eq(dataset_id, datasetId), isNotNull(until))}
    ) group by version order by version desc`;
  return records.query(statementOf(changes));
}

/** Creates a version with these examples added at the end. @returns their ids. */
export async function addItems(records: Database, datasetId: string, examples: readonly Example[]): Promise<string[]> {
  const ids = examples.map(() => uuidv7());
  const db = over(records);
  const inserts = examples.map((example, index) =>
    insertion(db, datasetId, { ...example, id: ids[index]!, created_at: Date.now() }),
  );
  if (examples.length > 0) await patiently(() => db.batch([nextVersion(db, datasetId), ...inserts]));
  return ids;
}

/** Creates a version in which this item is changed. */
export async function changeItem(records: Database, datasetId: string, changed: Item): Promise<void> {
  const db = over(records);
  const changes = [ending(db, datasetId, [changed.id]), insertion(db, datasetId, changed)];
  await patiently(() => db.batch([nextVersion(db, datasetId), ...changes]));
}

/** Creates a version without these items. @returns number of removed items. */
export async function removeItems(records: Database, datasetId: string, ids: readonly string[]): Promise<number> {
  const db = over(records);
  const removed = await db.$count(datasetItems, and(current(datasetId), isOneOf(item, ids)));
  if (removed > 0) await patiently(() => db.batch([nextVersion(db, datasetId), ending(db, datasetId, ids)]));
  return removed;
}

/** Permanently deletes, from every version, what was made from deleted requests. */
export async function forgetRequests(
  records: Database,
  organizationId: string,
  requestIds: readonly string[],
): Promise<void> {
  const db = over(records);
  const own = db.select({ id: datasets.id }).from(datasets).where(eq(datasets.organization_id, organizationId));
  const runs = db
    .select({ id: datasetRuns.id })
    .from(datasetRuns)
    .where(eq(datasetRuns.organization_id, organizationId));
  const madeOf = and(isOneOf(request_id, requestIds), inArray(dataset_id, own));
  const made = db.select({ id: item }).from(datasetItems).where(madeOf);
  const { item_id, run_id, request_id: resultId } = datasetRunResults;
  await patiently(() =>
    db.batch([
      // Results for deleted items, and results that are deleted requests themselves.
      db.delete(datasetRunResults).where(and(inArray(item_id, made), inArray(run_id, runs))),
      db.delete(datasetRunResults).where(and(isOneOf(resultId, requestIds), inArray(run_id, runs))),
      db.delete(datasetItems).where(madeOf),
    ]),
  );
}

const versionOf = (datasetId: string) =>
  sql`(select ${datasets.version} from ${datasets} where ${eq(datasets.id, datasetId)})`;

const nextVersion = (db: Builder, datasetId: string) =>
  db
    .update(datasets)
    .set({ version: sql`${datasets.version} + 1`, updated_at: Date.now() })
    .where(eq(datasets.id, datasetId));

const ending = (db: Builder, datasetId: string, ids: readonly string[]) =>
  db
    .update(datasetItems)
    .set({ until: versionOf(datasetId) })
    .where(and(current(datasetId), isOneOf(item, ids)));

const insertion = (db: Builder, datasetId: string, added: Omit<Item, "version">) =>
  db.insert(datasetItems).values({ ...added, dataset_id: datasetId, since: versionOf(datasetId) });

function toItem({ id, since: version, request_id: request, ...row }: Row): Item {
  const { input, output, labels: words, note, created_at } = row;
  return { id, version, request_id: request, input, output, labels: words, note, created_at };
}
