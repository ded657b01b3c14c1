import type { Maintenance } from "../../threads.ts";
import { forgetCalls } from "../answers/call-states.ts";
import { countStep } from "../sizes/sums.ts";
import type { Store } from "../store.ts";
import { eraseWords } from "../words/erase.ts";
import { removeLost, removeWords } from "../words/remove.ts";
import { moveStep } from "./move.ts";

/**
 * One small step that frees space. Only the recorder calls it: content that a new record is
 * about to share would be removed under it otherwise.
 *
 * @returns how many records lost their bodies, how many ids, hashes or numbers had something left over, how many steps
 * are left, how many records were counted, or bytes freed; 1 where a day was dropped.
 */
export async function maintain(store: Store, task: Maintenance): Promise<number> {
  switch (task.kind) {
    case "bodies":
      return removeBodies(store, task.organizationId, task.requestIds);
    case "orphans":
      return removeOrphans(store, task.requestIds);
    case "blobs":
      return removeBlobs(store, task.hashes);
    case "erase":
      return erase(store, task.isOrdered === true);
    case "move":
      return moveStep(store);
    case "objects":
      return store.content.moveOut();
    case "count":
      return countStep(store.records);
    case "lost words":
      return removeLost(store, task.seqs);
    case "kinds":
      return removeKinds(store, task.ids, task.upTo);
    // Of engines that keep days apart.
    case "day":
    case "beside":
      return 0;
    case "compact":
      return (await store.bodies.compact(task.pages)) + (await store.records.compact(task.pages));
  }
}

/** The records stay, with everything but what was said in them. */
async function removeBodies({ records, bodies, content }: Store, organizationId: string, ids: readonly string[]) {
  const found = await records.query<{ seq: number; request_id: string }>({
    // The plus keeps SQLite from going through all of the organization's records for a few ids.
    sql: `select seq, request_id from requests
      where request_id in (select value from json_each(?)) and +organization_id = ? and response_status is not null`,
    args: [JSON.stringify(ids), organizationId],
  });
  if (found.length === 0) return 0;
  const text = JSON.stringify(found.map(({ request_id }) => request_id));
  // What a record shows of its bodies goes with them.
  const sql = `update requests set assets = '[]', input = null, output = null, excerpts_packed = null
    where request_id in (select value from json_each(?))
      and (assets <> '[]' or coalesce(input, output, excerpts_packed) is not null)`;
  await records.batch([{ sql, args: [text] }, forgetCalls(text)]);
  await content.remove(found.map(({ request_id }) => request_id));
  await removeWords(
    bodies,
    found.map(({ seq }) => seq),
  );
  return found.length;
}

/** At the end the logs are emptied: what was erased stands in them as it was. */
async function erase({ records, bodies, content }: Store, isOrdered: boolean): Promise<number> {
  const packs = await content.sweep(isOrdered);
  const words = await eraseWords(bodies);
  const left = packs.left + words.left;
  if ((packs.swept || words.swept) && left === 0) {
    await bodies.settle();
    await records.settle();
  }
  return left;
}

/** What a crash left of requests that have no record. Between two batches nothing is without its record for good reason. */
async function removeOrphans({ records, content }: Store, ids: readonly string[]): Promise<number> {
  const known = await records.query<{ request_id: string }>({
    sql: "select request_id from requests where request_id in (select value from json_each(?))",
    args: [JSON.stringify(ids)],
  });
  const having = new Set(known.map(({ request_id }) => request_id));
  const orphans = ids.filter((id) => !having.has(id));
  if (orphans.length > 0) await content.remove(orphans);
  return orphans.length;
}

/** Numbers that nodes of one server may have taken and not used yet. */
const TAKEN_ROWS = 20_000;

/**
 * Kinds that no record refers to any more, where records up to a number have been looked at: those behind it are looked at
 * here. A record that comes later brings its kind with it.
 */
async function removeKinds({ records }: Store, ids: readonly number[], upTo: number): Promise<number> {
  const unused = `id in (select value from json_each(?))
    and id not in (select kind from requests where seq > ? and kind is not null)`;
  const args = [JSON.stringify(ids), upTo - TAKEN_ROWS];
  const found = await records.query<{ id: number }>({ sql: `select id from kinds where ${unused}`, args });
  if (found.length > 0) await records.batch([{ sql: `delete from kinds where ${unused}`, args }]);
  return found.length;
}

/** Shared content that nothing points at any more. */
async function removeBlobs({ bodies }: Store, hashes: readonly string[]): Promise<number> {
  const unused = `hash in (select value from json_each(?))
    and not exists (select 1 from bodies b where b.blob_hash = blobs.hash)
    and not exists (select 1 from assets a where a.asset_id = blobs.hash)`;
  const args = [JSON.stringify(hashes)];
  const found = await bodies.query<{ hash: string }>({ sql: `select hash from blobs where ${unused}`, args });
  if (found.length > 0) await bodies.batch([{ sql: `delete from blobs where ${unused}`, args }]);
  return found.length;
}
