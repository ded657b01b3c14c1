import { GatewayError } from "../../errors.ts";
import { within } from "../../runtime/within.ts";
import { refuseFirst, removeOrganization, shownOrganizations, stopKeys } from "../../store/people/organizations.ts";
import { actingOf, type Caller } from "../access/caller.ts";
import { tooLate } from "../changes/amendments.ts";
import type { ApiRoom } from "../room.ts";
import { settled } from "../settled.ts";

/** One call deletes records for so long, then answers how far it came. */
const STEP_MS = 5_000;
const STEP_ROWS = 500;
const REMOVE_MS = 60_000;

/** How far a deletion is: what `DELETE /v1/organizations/<id>` answers. */
export interface Deletion {
  readonly id: string;
  readonly name: string;
  /** Records that this call deleted, and those that are left. */
  readonly removed: number;
  readonly remaining: number;
  /** Whether the organization is gone; else the same call goes on. */
  readonly done: boolean;
}

/**
 * Deletes an organization: keys stop first, then its records go in steps, at last its settings and itself. A call ends after a few
 * seconds; the next one goes on, also after a restart.
 *
 * @throws GatewayError `not_found`; `invalid_body` where the name is not its name, or for the first organization.
 */
export async function deleteOrganization(room: ApiRoom, caller: Caller, id: string, typed: string): Promise<Deletion> {
  const { records } = await room.home.writer();
  const [known] = await shownOrganizations(records, id);
  if (known === undefined) throw new GatewayError("not_found", "there is no organization of this id");
  const { name } = known;
  if (typed !== name) throw new GatewayError("invalid_body", "name: this is not its name", { path: "name" });
  await refuseFirst(records, id);
  await stopKeys(records, id, caller);
  await room.keys.spread();
  await settled(room);
  const endsAt = performance.now() + STEP_MS;
  let removed = 0;
  for (;;) {
    const requestIds = await someOf(room, id);
    if (requestIds.length === 0) break;
    const order = { organizationId: id, requestIds, by: actingOf(caller), asked: { organization: name } };
    const gone = await within(room.recorder.remove(order), REMOVE_MS, tooLate);
    removed += gone;
    if (gone === 0 || performance.now() > endsAt) break;
  }
  const remaining = await countOf(room, id);
  if (remaining > 0) return { id, name, removed, remaining, done: false };
  await removeOrganization(records, id, caller);
  await Promise.all([room.keys.spread(), room.credentials.spread(), room.routes.spread()]);
  return { id, name, removed, remaining: 0, done: true };
}

/** Records that are finished: what is in flight ends soon, for its key is revoked. */
async function someOf(room: ApiRoom, organizationId: string): Promise<string[]> {
  const sql = `select request_id from requests where organization_id = ? and response_status is not null limit ${STEP_ROWS}`;
  const rows = await room.current.records.query<{ request_id: string }>({ sql, args: [organizationId] });
  return rows.map(({ request_id }) => request_id);
}

async function countOf(room: ApiRoom, organizationId: string): Promise<number> {
  const sql = "select count(*) as n from requests where organization_id = ?";
  const deadlineMs = room.config.query_timeout_seconds * 1_000;
  const [row] = await room.current.records.query<{ n: number }>({ sql, args: [organizationId] }, { deadlineMs });
  return row!.n;
}
