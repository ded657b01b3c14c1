import type { Maintenance } from "../../threads.ts";
import { forgetCalls } from "../earlier-responses/call-states.ts";
import { countStep } from "../sizes/sums.ts";
import type { Store } from "../store.ts";
import { eraseWords } from "../words/erase.ts";
import { removeLost, removeWords } from "../words/remove.ts";
import { moveStep } from "./move.ts";

/**
 * One small step that frees space. Only the recorder may call it: elsewhere it could remove content that a new record is
 * about to share.
 *
 * @returns depending on the task: records that lost their bodies, ids, hashes or numbers with leftovers, remaining steps,
 * counted records, dropped days, or freed bytes.
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
    // Only for engines that store days separately.
    case "days":
    case "beside":
      return 0;
    case "compact":
      return (await store.bodies.compact(task.pages)) + (await store.records.compact(task.pages));
  }
}

/** Removes the contents of records; everything else about them stays. */
async function removeBodies({ records, bodies, content }: Store, organizationId: string, ids: readonly string[]) {
  const found = await records.query<{ seq: number; request_id: string }>({
    // The plus keeps SQLite from using the organization's index, which would scan all its records for a few ids.
    sql: `select seq, request_id from requests
      where request_id in (select value from json_each(?)) and +organization_id = ? and response_status is not null`,
    args: [JSON.stringify(ids), organizationId],
  });
  if (found.length === 0) return 0;
  const text = JSON.stringify(found.map(({ request_id }) => request_id));
  // Deletes the excerpts of bodies in the record, too.
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

/** Empties the logs at the end: they still hold the erased content. */
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

/** Removes bodies without a record, which a crash left. Between two batches every body has its record. */
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

/** Record numbers that nodes of one server may have reserved and not used yet. */
const TAKEN_ROWS = 20_000;

/**
 * Removes kinds that no record refers to. Records up to `upTo` have been checked before; this checks the later ones. A record
 * written after that inserts its kind itself.
 */
async function removeKinds({ records }: Store, ids: readonly number[], upTo: number): Promise<number> {
  const unused = `id in (select value from json_each(?))
    and id not in (select kind from requests where seq > ? and kind is not null)`;
  const args = [JSON.stringify(ids), upTo - TAKEN_ROWS];
  const found = await records.query<{ id: number }>({ sql: `select id from kinds where ${unused}`, args });
  if (found.length > 0) await records.batch([{ sql: `delete from kinds where ${unused}`, args }]);
  return found.length;
}

/** Removes shared content that is no longer referenced. */
async function removeBlobs({ bodies }: Store, hashes: readonly string[]): Promise<number> {
  const unused = `hash in (select value from json_each(?))
    and not exists (select 1 from bodies b where b.blob_hash = blobs.hash)
    and not exists (select 1 from assets a where a.asset_id = blobs.hash)`;
  const args = [JSON.stringify(hashes)];
  const found = await bodies.query<{ hash: string }>({ sql: `select hash from blobs where ${unused}`, args });
  if (found.length > 0) await bodies.batch([{ sql: `delete from blobs where ${unused}`, args }]);
  return found.length;
}
