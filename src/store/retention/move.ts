import { plainIds, plainLeft, removePlain } from "../bodies/plain-bodies.ts";
import type { Store } from "../store.ts";

/**
 * Moves contents that were recorded before packs existed into packs, a few requests per transaction. Moved contents are
 * deleted from their old place, so an interrupted move continues where it stopped.
 *
 * @returns number of requests checked; 0 when none are left.
 */
export async function moveStep({ records, bodies, content }: Store): Promise<number> {
  const ids = await plainIds(bodies);
  if (ids.length === 0) return 0;
  const owners = await records.query<{ request_id: string; organization_id: string }>({
    sql: "select request_id, organization_id from requests where request_id in (select value from json_each(?))",
    args: [JSON.stringify(ids)],
  });
  // Contents that are in packs already are newer, and contents without a record were left by a crash.
  const packed = new Set(await content.packed(ids));
  const moved = owners.filter(({ request_id }) => !packed.has(request_id));
  const found = await content.whole(moved.map(({ request_id }) => request_id));
  const contents = moved.flatMap(({ request_id: requestId, organization_id: organizationId }) => {
    const whole = found.get(requestId);
    return whole === undefined ? [] : [{ requestId, organizationId, ...whole, isNew: true }];
  });
  await content.put(contents, await removePlain(bodies, ids));
  return ids.length;
}

/** Approximate number of requests still to be moved. */
export function leftToMove(bodies: Store["bodies"]): Promise<number> {
  return plainLeft(bodies);
}
