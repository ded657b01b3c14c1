import { Elysia, t } from "elysia";
import { within } from "../../runtime/within.ts";
import type { RecordUpdate } from "../../threads.ts";
import type { Callers } from "../access/callers.ts";
import { ownerOf } from "../access/owner.ts";
import type { ApiContext } from "../context.ts";
import { asProperties, servesHelicone } from "../earlier-product.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import { noSuchRequest, requestIdOf } from "../input/request-id.ts";
import {
  PROPERTIES,
  REASONS,
  readProperties,
  readRatedScores,
  SCORE_MAP,
  tooLate,
  UPDATE_MS,
} from "./record-updates.ts";

const SCORES = t.Object({ scores: SCORE_MAP, reasons: REASONS }, { additionalProperties: false });

const FEEDBACK = t.Object({ rating: t.Boolean() }, { additionalProperties: false });

/** Changes properties and scores of a request, also while it is in flight. Later reads see the change. */
export function changeEndpoints(context: ApiContext, callers: Callers) {
  const update = async (request: Request, id: string, change: Omit<RecordUpdate, "requestId" | "organizationId">) => {
    const { organizationId } = callers.of(request);
    const done = await within(
      context.recorder.update({ requestId: requestIdOf(id), organizationId, ...change }),
      UPDATE_MS,
      tooLate,
    );
    if (done === null) throw noSuchRequest();
    return done;
  };
  const isHelicone = servesHelicone(context.config);
  return new Elysia()
    .put(
      "/v1/request/:id/property",
      async ({ params, body, request }) => {
        const wanted = isHelicone ? asProperties(body) : body;
        const { requestId, properties } = await update(request, params.id, { properties: readProperties(wanted) });
        return success([{ request_id: requestId, properties }]);
      },
      {
        body: PROPERTIES,
        ...endpoint("Requests", "Set properties of a request", "Merged at once, even into a request in flight."),
      },
    )
    .post(
      "/v1/request/:id/score",
      async ({ params, body, request }) => {
        const { requestId, scores } = await update(
          request,
          params.id,
          readRatedScores(body, ownerOf(callers.of(request))),
        );
        return success([{ request_id: requestId, scores }]);
      },
      { body: SCORES, ...endpoint("Requests", "Score a request") },
    )
    .post(
      "/v1/request/:id/feedback",
      async ({ params, body, request }) => {
        const { requestId, feedback } = await update(request, params.id, { feedbackRating: body.rating });
        return success([
          {
            request_id: requestId,
            feedback_id: feedback?.id ?? null,
            feedback_rating: feedback?.rating ?? null,
            feedback_created_at: feedback === null ? null : new Date(feedback.createdAt).toISOString(),
          },
        ]);
      },
      { body: FEEDBACK, ...endpoint("Requests", "Rate a request") },
    );
}
