import { Elysia, t } from "elysia";
import { within } from "../../runtime/within.ts";
import { forgetRequests } from "../../store/datasets/items.ts";
import type { RecordUpdate } from "../../threads.ts";
import { actingOf, type Caller } from "../access/caller.ts";
import type { Callers } from "../access/callers.ts";
import { ownerOf } from "../access/owner.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import {
  PROPERTIES,
  REASONS,
  readProperties,
  readRatedScores,
  SCORE_MAP,
  tooLate,
  UPDATE_MS,
} from "./record-updates.ts";
import { CHANGED_MAX, SELECTION, type Selection, selected } from "./selection.ts";

/** Deleting many records with long bodies is slow. */
const REMOVE_MS = 60_000;
/** Updates sent to the recorder at a time: between two groups it writes records that have arrived meanwhile. */
const AT_ONCE = 50;

const strict = { additionalProperties: false };
const REMOVAL = t.Object(SELECTION, strict);
const NEW_PROPERTIES = t.Object({ ...SELECTION, properties: PROPERTIES }, strict);
const NEW_SCORES = t.Object({ ...SELECTION, scores: SCORE_MAP, reasons: REASONS }, strict);

const STEPS = `By ids or by a filter. With a filter one call changes up to ${CHANGED_MAX} requests, the newest first: \`data\` is how many were changed, and with \`next_cursor\` as \`cursor\` the next call continues, until it is null.`;

type Change = Pick<RecordUpdate, "properties" | "scores" | "ratings">;

/** Changing or deleting many requests. */
export function bulkEndpoints(context: ApiContext, callers: Callers) {
  const change = async (request: Request, selection: Selection, wanted: Change) => {
    const caller = callers.of(request);
    const { organizationId } = caller;
    const step = await selected(context, caller, selection).next();
    const { ids, next } = step.value!;
    let changed = 0;
    for (let at = 0; at < ids.length; at += AT_ONCE) {
      const group = ids.slice(at, at + AT_ONCE);
      const update = (requestId: string) => context.recorder.update({ requestId, organizationId, ...wanted });
      const done = await within(Promise.all(group.map(update)), UPDATE_MS, tooLate);
      changed += done.filter((result) => result !== null).length;
    }
    return success(changed, {}, { next_cursor: next });
  };
  const remove = async (caller: Caller, requestIds: readonly string[], selection: unknown) => {
    const { organizationId } = caller;
    // First: if a later step fails, the caller repeats the call, and the records can still be found.
    await forgetRequests((await context.writer()).records, organizationId, requestIds);
    const order = { organizationId, requestIds, by: actingOf(caller), selection };
    return within(context.recorder.remove(order), REMOVE_MS, tooLate);
  };

  return new Elysia()
    .put(
      "/v1/request/property",
      ({ body: { properties, ...selection }, request }) =>
        change(request, selection, { properties: readProperties(properties, "properties.") }),
      { body: NEW_PROPERTIES, ...endpoint("Requests", "Set properties of many requests", STEPS) },
    )
    .post(
      "/v1/request/score",
      ({ body: { scores, reasons = {}, ...selection }, request }) =>
        change(request, selection, readRatedScores({ scores, reasons }, ownerOf(callers.of(request)))),
      { body: NEW_SCORES, ...endpoint("Requests", "Score many requests", STEPS) },
    )
    .delete(
      "/v1/request",
      async ({ body, request }) => {
        const caller = callers.of(request);
        let removed = 0;
        for await (const { ids, next } of selected(context, caller, body)) {
          if (ids.length > 0) removed += await remove(caller, ids, body.filter && { filter: body.filter });
          if (typeof body.limit === "number") return success(removed, {}, { next_cursor: next });
        }
        return success(removed);
      },
      {
        body: REMOVAL,
        ...endpoint(
          "Requests",
          "Delete requests",
          "By ids or by a filter, with their bodies, permanently. `data` is the number of deleted requests. With `limit` one call deletes at most that many; pass `next_cursor` as `cursor` to continue.",
        ),
      },
    );
}
