import { plainIds, plainLeft, removePlain } from "../bodies/plain-bodies.ts";
import type { Store } from "../store.ts";

/**
 * Moves what was recorded before there were packs into packs, a few requests at a time, each in one transaction: what is
 * moved is no longer found where it was, so that a move that is cut off continues where it stood.
 *
 * @returns how many requests were looked at; 0 once nothing is left.
 */
export async function moveStep({ records, bodies, content }: Store): Promise<number> {
  const ids = await plainIds(bodies);
  if (ids.length === 0) return 0;
  const owners = await records.query<{ request_id: string; organization_id: string }>({
    sql: "select request_id, organization_id from requests where request_id in (select value from json_each(?))",
    args: [JSON.stringify(ids)],
  });
  // What was put into packs since is newer, and what has no record is what a crash left.
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

/** About how many requests are still to be moved. */
export function leftToMove(bodies: Store["bodies"]): Promise<number> {
  return plainLeft(bodies);
}
