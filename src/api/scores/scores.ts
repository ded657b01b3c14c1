import { Elysia, t } from "elysia";
import { isoTime } from "../../record/iso-time.ts";
import { Deadline } from "../../store/database/deadline.ts";
import { listRatings, type Rating } from "../../store/ratings.ts";
import type { Callers } from "../access/callers.ts";
import { settled } from "../caught-up.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import { AGGREGATES_MAX, FILTER, paging, readPaging, readScope } from "../input/query-body.ts";
import { requestIdOf } from "../input/request-id.ts";
import { recordNamed } from "../named.ts";

const TAG = "Scores";
const LIST = t.Object({ filter: t.Optional(FILTER), ...paging(AGGREGATES_MAX) }, { additionalProperties: false });

/** A score of one record as the API shows it: its current value, and who gave which rating. */
export interface ShownScore {
  readonly name: string;
  readonly value: number;
  readonly ratings: readonly ShownRating[];
}

interface ShownRating extends Omit<Rating, "name" | "created_at"> {
  readonly created_at: string;
}

/** The existing scores, and who rated a request. */
export function scoreEndpoints(context: ApiContext, callers: Callers) {
  return new Elysia()
    .post(
      "/v1/score/query",
      async ({ body, request }) => {
        const page = readPaging(body, AGGREGATES_MAX, AGGREGATES_MAX);
        const { scope } = readScope(callers.of(request), body);
        await settled(context);
        const deadline = new Deadline(context.config.query_timeout_seconds * 1000);
        return success(await context.engine.aggregates.scores(scope, page, deadline));
      },
      {
        body: LIST,
        ...endpoint(
          TAG,
          "List the names of scores",
          "Each with its number of requests, mean, min and max; the most frequent first.",
        ),
      },
    )
    .get(
      "/v1/request/:id/scores",
      async ({ params, request }) => {
        const { organizationId } = callers.of(request);
        const requestId = requestIdOf(params.id);
        const row = await recordNamed(context, organizationId, requestId);
        const ratings = Map.groupBy(
          await listRatings(context.current.records, organizationId, requestId),
          ({ name }) => name,
        );
        const scores = Object.entries(JSON.parse(row.scores) as Record<string, number>);
        return success(
          scores.map(([name, value]): ShownScore => ({ name, value, ratings: (ratings.get(name) ?? []).map(shown) })),
        );
      },
      endpoint(TAG, "List the scores of a request", "Each with its author, time and reason, as far as known."),
    );
}

const shown = ({ name: _, created_at, ...rating }: Rating): ShownRating => ({
  ...rating,
  created_at: isoTime(created_at),
});
