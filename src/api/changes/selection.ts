import { t } from "elysia";
import { GatewayError } from "../../errors.ts";
import { decodeCursor, encodeCursor, type Position } from "../../filter/cursor.ts";
import type { Flags } from "../../filter/request-flags.ts";
import type { Scope } from "../../filter/scope.ts";
import type { Reach } from "../../filter/sight.ts";
import { NEWEST_FIRST } from "../../filter/sort.ts";
import { Deadline } from "../../store/database/deadline.ts";
import { settled } from "../caught-up.ts";
import type { ApiContext } from "../context.ts";
import { FILTER, FLAGS, optional, optionalCursor, readPaging, readScope } from "../input/query-body.ts";
import { readIds } from "../input/request-id.ts";

/** Requests of one call, or of one step of it, at most. */
export const CHANGED_MAX = 1_000;
/** A filter on bodies is evaluated in parts: the hits within this time form one step. */
const FIND_MS = 5_000;

/** Members of a body that select the requests to change. */
export const SELECTION = {
  requestIds: t.Optional(
    t.Array(t.String(), { maxItems: CHANGED_MAX, description: `Up to ${CHANGED_MAX} request ids.` }),
  ),
  filter: t.Optional(FILTER),
  ...FLAGS,
  limit: optional(t.Number({ description: `With a filter: requests of this call, 1 to ${CHANGED_MAX}.` })),
  cursor: optionalCursor,
};

export interface Selection extends Flags {
  readonly requestIds?: readonly string[] | undefined;
  readonly filter?: unknown;
  readonly limit?: number | null;
  readonly cursor?: string | null;
}

/** One step of a change: at most `CHANGED_MAX` ids. */
export interface Step {
  readonly ids: readonly string[];
  /** Where the next step begins; null at the end. */
  readonly next: string | null;
}

/**
 * The requests that a body selects, a step at a time, newest first; requests that arrive meanwhile are left out.
 *
 * @throws GatewayError `invalid_body`, `filter_invalid`.
 */
export async function* selected(context: ApiContext, reach: Reach, selection: Selection): AsyncGenerator<Step> {
  const { requestIds, filter, cursor } = selection;
  if ((requestIds === undefined) === (filter === undefined))
    throw new GatewayError("invalid_body", "choose the requests with either requestIds or filter");
  if (requestIds !== undefined) return yield { ids: readIds(requestIds), next: null };
  const { scope } = readScope(reach, selection);
  const { limit } = readPaging(selection, CHANGED_MAX, CHANGED_MAX);
  if (limit === 0)
    throw new GatewayError("invalid_body", `limit is a whole number from 1 to ${CHANGED_MAX}`, { path: "limit" });
  let after = typeof cursor === "string" ? decodeCursor(cursor, scope, NEWEST_FIRST) : undefined;
  if (after === undefined) await settled(context);
  do {
    const page = await idsOf(context, scope, limit, after);
    after = page.next;
    yield { ids: page.ids, next: after === undefined ? null : encodeCursor(after, scope, NEWEST_FIRST) };
  } while (after !== undefined);
}

async function idsOf(context: ApiContext, scope: Scope, limit: number, after: Position | undefined) {
  const deadline = new Deadline(context.config.query_timeout_seconds * 1000);
  const options = { sort: NEWEST_FIRST, limit, offset: 0, after, deadline, withinMs: FIND_MS };
  const { keys, next } = await context.engine.source.page(scope, options);
  return { ids: keys.map(({ requestId }) => requestId), next };
}
