import { Elysia, t } from "elysia";
import { keysOf } from "../../engine/record-source.ts";
import type { Callers } from "../access/callers.ts";
import { settled } from "../caught-up.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { includeBody, includeInputs, includeStoredBytes } from "../input/query-body.ts";
import { noSuchRequest, readIds, requestIdOf } from "../input/request-id.ts";
import { named } from "../named.ts";
import { respondWithRecord, respondWithRecords } from "./respond.ts";

const IDS_MAX = 1_000;

const IDS = t.Object(
  {
    requestIds: t.Array(t.String(), { maxItems: IDS_MAX, description: `Up to ${IDS_MAX} request ids.` }),
    includeBody,
    includeInputs,
    includeStoredBytes,
  },
  { additionalProperties: false },
);

/** Reads requests by their ids. */
export function requestEndpoints(context: ApiContext, callers: Callers) {
  const askFor = (request: Request, ids: readonly string[]) => {
    const { organizationId, sight } = callers.of(request);
    return { organizationId, sight, keys: keysOf(ids) };
  };
  return new Elysia()
    .post(
      "/v1/request/query-ids",
      async ({ body, request }) => {
        const ids = readIds(body.requestIds);
        const included = {
          includeBody: body.includeBody ?? true,
          includeInputs: body.includeInputs ?? false,
          includeStoredBytes: body.includeStoredBytes ?? false,
        };
        await settled(context);
        return respondWithRecords(context, request, askFor(request, ids), included);
      },
      {
        body: IDS,
        ...endpoint("Requests", "Read requests by id", "In the order of the ids; unknown ids are left out."),
      },
    )
    .get(
      "/v1/request/:id",
      async ({ params, request }) => {
        const ids = [requestIdOf(params.id)];
        const response = await named(
          context,
          () => respondWithRecord(context, request, askFor(request, ids)),
          (found) => found !== undefined,
        );
        if (response === undefined) throw noSuchRequest();
        return response;
      },
      endpoint("Requests", "Read one request"),
    );
}
