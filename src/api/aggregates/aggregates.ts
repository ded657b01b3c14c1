import { Elysia, t } from "elysia";
import { USER_SORTS } from "../../engine/aggregates.ts";
import { GROUPS, TIME_BUCKETS } from "../../filter/group-by.ts";
import { readGroups } from "../../filter/read-groups.ts";
import { readScoreNames } from "../../filter/read-score-names.ts";
import { Deadline } from "../../store/database/deadline.ts";
import type { Callers } from "../access/callers.ts";
import { settled } from "../caught-up.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import {
  AGGREGATES_MAX,
  FILTER,
  optional,
  optionalSort,
  paging,
  readBucket,
  readPaging,
  readScope,
} from "../input/query-body.ts";
import { queryWarnings, whySlow } from "../requests/warnings.ts";
import { readTotalsSort } from "./totals-sort.ts";

const LIST = { filter: t.Optional(FILTER), ...paging(AGGREGATES_MAX) };

const METRICS = t.Object(
  {
    ...LIST,
    group_by: optional(
      t.Array(t.String(), { description: `Any of ${Object.keys(GROUPS).join(", ")}, property:<Name>, score:<Name>.` }),
    ),
    time_bucket: optional(t.String({ description: `${Object.keys(TIME_BUCKETS).join(", ")}.` })),
    latencies: optional(t.Boolean({ description: "false omits latencies, which take most of the time." })),
    speeds: optional(
      t.Boolean({ description: "true adds, for streams, times to the first token and tokens per second." }),
    ),
    scores: optional(
      t.Array(t.String(), { description: "Names of scores: adds `scores`, for each its count, mean, min and max." }),
    ),
  },
  { additionalProperties: false },
);
/** Values per facet in one response, at most. */
const VALUES_MAX = 1_000;
const FACETS = t.Object(
  {
    filter: t.Optional(FILTER),
    facets: t.Array(t.String(), {
      description: `At most 8 of ${Object.keys(GROUPS).join(", ")}, property:<Name>, score:<Name>.`,
    }),
    limit: optional(t.Number({ description: `Values of each, 0 to ${VALUES_MAX}; default: 10.` })),
  },
  { additionalProperties: false },
);
const USERS = t.Object({ ...LIST, sort: optionalSort }, { additionalProperties: false });

/** Metrics over many requests: by group and time, by user. */
export function aggregateEndpoints(context: ApiContext, callers: Callers) {
  const { source, aggregates } = context.engine;
  const begin = async (request: Request, body: { readonly filter?: unknown }) => {
    const caller = callers.of(request);
    const { scope, decoded } = readScope(caller, body);
    await settled(context);
    const deadline = new Deadline(context.config.query_timeout_seconds * 1000);
    const warnings = await queryWarnings(source, caller.organizationId, decoded, deadline);
    return { scope, deadline, warnings: await whySlow(aggregates, scope.tree, warnings) };
  };
  return new Elysia()
    .post(
      "/v1/metrics/query",
      async ({ body, request }) => {
        const groupBy = readGroups(body.group_by ?? []);
        const timeBucket = body.time_bucket == null ? undefined : readBucket(body.time_bucket);
        // A time series must not be cut after the default page size.
        const page = readPaging(body, AGGREGATES_MAX, timeBucket === undefined ? undefined : AGGREGATES_MAX);
        const { scope, deadline, warnings } = await begin(request, body);
        const query = {
          groupBy,
          timeBucket,
          latencies: body.latencies !== false,
          speeds: body.speeds === true,
          ...(body.scores == null ? {} : { scores: readScoreNames(body.scores) }),
          ...page,
        };
        return success(await aggregates.metrics(scope, query, deadline), warnings);
      },
      {
        body: METRICS,
        ...endpoint("Metrics", "Aggregate requests", "By group and time: counts, sums, latencies, percentiles."),
      },
    )
    .post(
      "/v1/request/facets/query",
      async ({ body, request }) => {
        const names = readGroups(body.facets, "facets");
        const { limit } = readPaging(body, VALUES_MAX);
        const { scope, deadline, warnings } = await begin(request, body);
        return success(await aggregates.facets(scope, { names, limit }, deadline), warnings);
      },
      {
        body: FACETS,
        ...endpoint(
          "Requests",
          "Count requests by their values",
          "For each name its most frequent values with the number of requests; `more` is true if there are others.",
        ),
      },
    )
    .post(
      "/v1/user/metrics/query",
      async ({ body, request }) => {
        const order = readTotalsSort(body.sort ?? undefined, USER_SORTS, "requests");
        const page = readPaging(body, AGGREGATES_MAX);
        const { scope, deadline, warnings } = await begin(request, body);
        return success(await aggregates.users(scope, order, page, deadline), warnings);
      },
      { body: USERS, ...endpoint("Metrics", "Aggregate requests by user") },
    );
}
