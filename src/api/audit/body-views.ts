import type { Act } from "../../people/actions.ts";
import { record } from "../../store/audit/recorded.ts";
import type { Database } from "../../store/store.ts";
import { actingOf, type Caller } from "../access/caller.ts";
import type { ApiContext } from "../context.ts";

const HOUR_MS = 3_600_000;
/** Logged views that are remembered, to save a database query; the oldest are forgotten first. */
const REMEMBERED_MAX = 50_000;

const people = new WeakMap<Request, Caller>();

/** Marks a request as a person's: it came with a log-in, not with a program's key. */
export function notePerson(request: Request, caller: Caller): void {
  people.set(request, caller);
}

/** Views that the audit log already has for this hour. */
const remembered = new WeakMap<ApiContext, Set<string>>();

/**
 * Logs that a person views the contents of requests, once per request, person and hour, before the contents are sent. Views
 * by programs with a key are not logged.
 */
export async function noteBodyViews(
  context: ApiContext,
  request: Request,
  organizationId: string,
  requestIds: readonly string[],
): Promise<void> {
  const caller = people.get(request);
  if (caller === undefined || !context.config.audit_body_views) return;
  const hour = Math.floor(Date.now() / HOUR_MS);
  const known = remembered.get(context) ?? new Set();
  remembered.set(context, known);
  const nameOf = (id: string) => `${hour} ${caller.actor.id} ${id}`;
  const unseen = requestIds.filter((id) => !known.has(nameOf(id)));
  if (unseen.length === 0) return;
  const acts = unseen.map(
    (id): Act => ({ action: "record.bodies_viewed", organizationId, object: { kind: "record", id, name: "" } }),
  );
  const { records } = await context.writer();
  const stillNew = (all: readonly Act[]) => unnoted(records, all, caller.actor.id, hour * HOUR_MS);
  await record(records, { statements: [], by: actingOf(caller), acts, stillNew });
  for (const id of unseen) known.add(nameOf(id));
  for (const oldest of known) {
    if (known.size <= REMEMBERED_MAX) break;
    known.delete(oldest);
  }
}

async function unnoted(records: Database, acts: readonly Act[], actorId: string, since: number): Promise<Act[]> {
  const sql = `select distinct object_id as id from audit
    where object_id in (select value from json_each(?)) and time >= ? and actor_id = ? and action = 'record.bodies_viewed'`;
  const ids = JSON.stringify(acts.map(({ object }) => object.id));
  const rows = await records.query<{ id: string }>({ sql, args: [ids, since, actorId] });
  const noted = new Set(rows.map(({ id }) => id));
  return acts.filter(({ object }) => !noted.has(object.id));
}
