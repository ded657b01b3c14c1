import type { Static } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import { GatewayError } from "../../errors.ts";
import type { Position } from "../../filter/cursor.ts";
import type { Scope } from "../../filter/select.ts";
import { NEWEST_FIRST } from "../../filter/sort.ts";
import { maskLabel } from "../../masking/mask.ts";
import { storable } from "../../record/storable.ts";
import { within } from "../../runtime/within.ts";
import { Deadline } from "../../store/database/deadline.ts";
import { findPage } from "../../store/find/find.ts";
import type { Amendment } from "../../threads.ts";
import type { Gate } from "../access/gate.ts";
import { asProperties, servesHelicone } from "../earlier-product.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import { FILTER, FLAGS, readScope } from "../input/query-body.ts";
import { noSuchRequest, readIds, requestIdOf } from "../input/request-id.ts";
import type { ApiRoom } from "../room.ts";
import { settled } from "../settled.ts";

/** How long a change waits for the recorder, which may be busy with a database that is away. */
const AMEND_MS = 10_000;
/** Deleting many records with long bodies takes its time. */
const REMOVE_MS = 60_000;
const REMOVED_MAX = 1_000;
/** Names that one change takes: the database merges them in a time that is quadratic in their number. */
const NAMES_MAX = 1_000;

const PROPERTIES = t.Object(
  {},
  {
    additionalProperties: t.Union([t.String(), t.Null()], { expects: "give text, or null to remove the property" }),
    maxProperties: NAMES_MAX,
    description: "Property names and their values, without a header prefix; null removes.",
    expects: `give an object of property names and values, at most ${NAMES_MAX}`,
  },
);

const SCORES = t.Object(
  {
    scores: t.Object(
      {},
      {
        additionalProperties: t.Union([t.Number(), t.Boolean()], { expects: "give a number, true or false" }),
        maxProperties: NAMES_MAX,
        description: "Score names and values. A second call merges.",
      },
    ),
  },
  { additionalProperties: false },
);

const FEEDBACK = t.Object({ rating: t.Boolean() }, { additionalProperties: false });

const REMOVAL = t.Object(
  {
    requestIds: t.Optional(
      t.Array(t.String(), { maxItems: REMOVED_MAX, description: `Up to ${REMOVED_MAX} request ids.` }),
    ),
    filter: t.Optional(FILTER),
    ...FLAGS,
  },
  { additionalProperties: false },
);

/** Changing what is known of a request, also while it is in flight. Visible to whatever is read afterwards. */
export function changeEndpoints(room: ApiRoom, gate: () => Gate) {
  const amend = async (request: Request, id: string, change: Omit<Amendment, "requestId" | "organizationId">) => {
    const { organizationId } = gate().caller(request);
    const done = await within(
      room.recorder.amend({ requestId: requestIdOf(id), organizationId, ...change }),
      AMEND_MS,
      tooLate,
    );
    if (done === null) throw noSuchRequest();
    return done;
  };
  const isHelicone = servesHelicone(room.config);
  return new Elysia()
    .put(
      "/v1/request/:id/property",
      async ({ params, body, request }) => {
        const wanted = isHelicone ? asProperties(body) : body;
        refuseEmptyName(wanted, "");
        const { requestId, properties } = await amend(request, params.id, { properties: asStored(wanted) });
        return success([{ request_id: requestId, properties }]);
      },
      {
        body: PROPERTIES,
        ...endpoint("write", "Requests", "Set properties of a request", "Merged at once, also into one in flight."),
      },
    )
    .post(
      "/v1/request/:id/score",
      async ({ params, body, request }) => {
        refuseEmptyName(body.scores, "scores.");
        const numbers = Object.entries(body.scores).map(([name, value]) => [storable(name), Number(value)] as const);
        const { requestId, scores } = await amend(request, params.id, { scores: Object.fromEntries(numbers) });
        return success([{ request_id: requestId, scores }]);
      },
      { body: SCORES, ...endpoint("write", "Requests", "Score a request") },
    )
    .post(
      "/v1/request/:id/feedback",
      async ({ params, body, request }) => {
        const { requestId, feedback } = await amend(request, params.id, { feedbackRating: body.rating });
        return success([
          {
            request_id: requestId,
            feedback_id: feedback?.id ?? null,
            feedback_rating: feedback?.rating ?? null,
            feedback_created_at: feedback === null ? null : new Date(feedback.createdAt).toISOString(),
          },
        ]);
      },
      { body: FEEDBACK, ...endpoint("write", "Requests", "Rate a request") },
    )
    .delete(
      "/v1/request",
      async ({ body, request }) => {
        const { organizationId } = gate().caller(request);
        return success(await removeRequests(room, organizationId, body));
      },
      {
        body: REMOVAL,
        ...endpoint(
          "write",
          "Requests",
          "Delete requests",
          "By ids or by a filter; with their bodies, for good. `data` is how many there were.",
        ),
      },
    );
}

/** @returns how many there were. */
async function removeRequests(
  room: ApiRoom,
  organizationId: string,
  { requestIds, ...wanted }: Static<typeof REMOVAL>,
): Promise<number> {
  if ((requestIds === undefined) === (wanted.filter === undefined)) {
    throw new GatewayError("invalid_body", "say what to delete by either requestIds or filter");
  }
  const remove = (ids: readonly string[]) =>
    within(room.recorder.remove({ organizationId, requestIds: ids }), REMOVE_MS, tooLate);
  if (requestIds !== undefined) return remove(readIds(requestIds));
  const { scope } = readScope(organizationId, wanted);
  await settled(room);
  let removed = 0;
  for await (const ids of pagesOf(room, scope)) removed += await remove(ids);
  return removed;
}

/** Ids of all records of a scope, a page at a time; records that arrive meanwhile are left alone. */
async function* pagesOf(room: ApiRoom, scope: Scope): AsyncGenerator<readonly string[]> {
  let after: Position | undefined;
  do {
    const deadline = new Deadline(room.config.query_timeout_seconds * 1000);
    const options = { sort: NEWEST_FIRST, limit: REMOVED_MAX, offset: 0, after, deadline };
    const page = await findPage(room.reader.records, scope, options);
    if (page.rows.length > 0) yield page.rows.map(({ request_id }) => request_id);
    after = page.next;
  } while (after !== undefined);
}

function asStored(properties: Readonly<Record<string, string | null>>): Record<string, string | null> {
  const entries = Object.entries(properties);
  return Object.fromEntries(
    entries.map(([name, value]) => [storable(name), value === null ? null : storable(maskLabel(value, name))]),
  );
}

function refuseEmptyName(names: object, path: string): void {
  if (Object.hasOwn(names, "")) throw new GatewayError("invalid_body", "a name is empty", { path });
}

function tooLate(): never {
  throw new GatewayError("database_unavailable", "the change could not be written in time");
}
