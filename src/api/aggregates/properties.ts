import { Elysia, t } from "elysia";
import { propertyName } from "../../filter/property-names.ts";
import { PATTERN_CHARS_MAX } from "../../filter/tree.ts";
import { substring } from "../../filter/wildcards.ts";
import { storable } from "../../record/storable.ts";
import { Deadline } from "../../store/database/deadline.ts";
import type { Callers } from "../access/callers.ts";
import { settled } from "../caught-up.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import { AGGREGATES_MAX, FILTER, optional, paging, readPaging, readScope } from "../input/query-body.ts";

const NAMES = t.Object({ ...paging(AGGREGATES_MAX) }, { additionalProperties: false });
const SEARCH = t.Object(
  {
    ...paging(AGGREGATES_MAX),
    search: optional(t.String({ maxLength: PATTERN_CHARS_MAX, description: "Part of the value, in any case." })),
  },
  { additionalProperties: false },
);
const TOP_COSTS = t.Object({ filter: t.Optional(FILTER), ...paging(AGGREGATES_MAX) }, { additionalProperties: false });

/** The existing properties, their values, and the cost of each. */
export function propertyEndpoints(context: ApiContext, callers: Callers) {
  const { source, aggregates } = context.engine;
  const begin = async (request: Request) => {
    await settled(context);
    return {
      organizationId: callers.of(request).organizationId,
      deadline: new Deadline(context.config.query_timeout_seconds * 1000),
    };
  };
  return new Elysia()
    .post(
      "/v1/property/query",
      async ({ body, request }) => {
        const page = readPaging(body, AGGREGATES_MAX, AGGREGATES_MAX);
        const { organizationId, deadline } = await begin(request);
        const names = await source.propertyNames(organizationId, deadline, page);
        return success(names.map((property) => ({ property })));
      },
      { body: NAMES, ...endpoint("Properties", "List the names of properties") },
    )
    .post(
      "/v1/property/:name/search",
      async ({ params, body, request }) => {
        const page = readPaging(body, AGGREGATES_MAX);
        const name = propertyName(storable(params.name));
        const pattern = body.search ? substring(storable(body.search)) : undefined;
        const { organizationId, deadline } = await begin(request);
        const values = await source.propertyValues({ organizationId, name, pattern, ...page }, deadline);
        return success(values.map((value) => ({ value })));
      },
      { body: SEARCH, ...endpoint("Properties", "Find values of a property") },
    )
    .post(
      "/v1/property/:name/top-costs/query",
      async ({ params, body, request }) => {
        const page = readPaging(body, AGGREGATES_MAX);
        const name = storable(params.name);
        const { scope } = readScope(callers.of(request), body);
        const { deadline } = await begin(request);
        return success(await aggregates.propertyCosts(scope, { name, ...page }, deadline));
      },
      { body: TOP_COSTS, ...endpoint("Properties", "Values of a property by cost", "Most expensive first.") },
    );
}
