import { GatewayError } from "../../errors.ts";
import type { Act } from "../../people/actions.ts";
import { record } from "../../store/audit/recorded.ts";
import { actingOf, type Caller } from "../access/caller.ts";
import type { ApiContext } from "../context.ts";

/** Header that an export client sends with each page: the same id from the first page to the last. */
const EXPORT_HEADER = "gateway-export";
const EXPORT_ID = /^[\w-]{8,100}$/;
const REMEMBERED_MAX = 1_000;
const remembered = new WeakMap<ApiContext, Set<string>>();

/** Logs an export in the audit log, once, before its first page. @throws GatewayError `invalid_body`. */
export async function noteExport(
  context: ApiContext,
  request: Request,
  caller: Caller,
  query: { readonly filter: unknown; readonly includeBody: boolean },
): Promise<void> {
  const id = request.headers.get(EXPORT_HEADER);
  if (id === null) return;
  if (!EXPORT_ID.test(id))
    throw new GatewayError("invalid_body", `${EXPORT_HEADER}: give 8 to 100 letters, digits, _ and -`);
  const known = remembered.get(context) ?? new Set();
  remembered.set(context, known);
  const name = `${caller.actor.id} ${id}`;
  if (known.has(name)) return;
  const { organizationId } = caller;
  const act: Act = {
    action: "records.exported",
    organizationId,
    object: { kind: "export", id, name: "" },
    after: query,
  };
  const { records } = await context.writer();
  const sql = "select 1 from audit where object_id = ? and actor_id = ? and action = 'records.exported' limit 1";
  const stillNew = async (acts: readonly Act[]) =>
    (await records.query({ sql, args: [id, caller.actor.id] })).length > 0 ? [] : acts;
  await record(records, { statements: [], by: actingOf(caller), acts: [act], stillNew });
  known.add(name);
  for (const oldest of known) {
    if (known.size <= REMEMBERED_MAX) break;
    known.delete(oldest);
  }
}
