import { Elysia, t } from "elysia";
import { GatewayError } from "../../errors.ts";
import { decodeCursor, encodeCursor } from "../../filter/cursor.ts";
import type { Dialect } from "../../filter/decode.ts";
import type { Flags } from "../../filter/request-flags.ts";
import { readsContent } from "../../filter/select.ts";
import { decodeSort } from "../../filter/sort.ts";
import { isoTime } from "../../record/iso-time.ts";
import { Deadline } from "../../store/database/deadline.ts";
import type { Callers } from "../access/callers.ts";
import { noteExport } from "../audit/exports.ts";
import { settled } from "../caught-up.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import {
  FILTER,
  FLAGS,
  includeBody,
  includeInputs,
  includeProviderBodies,
  includeStoredBytes,
  optionalCursor,
  optionalPartial,
  optionalSearch,
  optionalSort,
  paging,
  readPaging,
  readScope,
} from "../input/query-body.ts";
import { respondWithRecords } from "./respond.ts";
import { respondToSearch } from "./search.ts";
import { queryWarnings } from "./warnings.ts";

/** A partial response holds what a search in bodies found within this time. */
const PART_MS = 700;
/** Rows of one response, at most. */
const ROWS_MAX: Readonly<Record<Dialect, number>> = { legacy: 1_000, fast: 10_000 };

const queryBody = (dialect: Dialect) =>
  t.Object(
    {
      filter: FILTER,
      ...FLAGS,
      ...paging(ROWS_MAX[dialect]),
      sort: optionalSort,
      cursor: optionalCursor,
      search: optionalSearch,
      partial: optionalPartial,
      includeBody,
      includeProviderBodies,
      includeInputs,
      includeStoredBytes,
    },
    { additionalProperties: false },
  );

type QueryBody = Flags & {
  readonly filter: unknown;
  readonly sort?: unknown;
  readonly limit?: number | null;
  readonly offset?: number | null;
  readonly cursor?: string | null;
  readonly search?: string | null;
  readonly partial?: boolean | null;
  readonly includeBody?: boolean | null;
  readonly includeProviderBodies?: boolean | null;
  readonly includeInputs?: boolean | null;
  readonly includeStoredBytes?: boolean | null;
};

const COUNT_BODY = t.Object({ filter: FILTER, ...FLAGS }, { additionalProperties: false });

/** Finds requests by a filter. */
export function queryEndpoints(context: ApiContext, callers: Callers) {
  const { source } = context.engine;
  const deadline = () => new Deadline(context.config.query_timeout_seconds * 1000);

  const query = async (request: Request, body: QueryBody, dialect: Dialect) => {
    const { organizationId, sight } = callers.of(request);
    const { scope, decoded } = readScope({ organizationId, sight }, body, dialect);
    const sort = decodeSort(body.sort);
    const { limit, offset } = readPaging(body, ROWS_MAX[dialect]);
    const cursor = body.cursor ?? undefined;
    const after = cursor === undefined ? undefined : decodeCursor(cursor, scope, sort);
    // Later pages need not wait: the first one did.
    if (after === undefined) await settled(context);
    const until = deadline();
    const isPart = body.partial === true;
    if (isPart && offset !== 0) {
      throw new GatewayError("invalid_body", "partial responses have no offset: use the cursor", { path: "offset" });
    }
    const withinMs = isPart ? PART_MS : undefined;
    const page = await source.page(scope, { sort, limit, offset, after, deadline: until, withinMs }).catch((cause) => {
      throw readsContent(scope.tree, sort) ? sayPartial(cause) : cause;
    });
    const toShow = { organizationId, sight, keys: page.keys };
    return respondWithRecords(context, request, toShow, {
      includeBody: body.includeBody ?? true,
      includeProviderBodies: body.includeProviderBodies ?? false,
      includeInputs: body.includeInputs ?? false,
      includeStoredBytes: body.includeStoredBytes ?? false,
      extra: {
        next_cursor: page.next === undefined ? null : encodeCursor(page.next, scope, sort),
        ...(isPart && { searched_to: page.searchedTo === undefined ? null : isoTime(page.searchedTo) }),
      },
      headers: await queryWarnings(source, organizationId, decoded, until),
    });
  };

  const find = async (request: Request, body: QueryBody, dialect: Dialect) => {
    const selection = { filter: body.filter, includeBody: body.includeBody ?? true };
    await noteExport(context, request, callers.of(request), selection);
    if (typeof body.search !== "string") return query(request, body, dialect);
    const search = { ...body, search: body.search, limitMax: ROWS_MAX[dialect] };
    return respondToSearch(context, request, search, readScope(callers.of(request), body, dialect));
  };

  return new Elysia()
    .post("/v1/request/query-fast", ({ body, request }) => find(request, body, "fast"), {
      body: queryBody("fast"),
      ...endpoint(
        "Requests",
        "Find requests",
        "Every leaf of the filter is wrapped in `request_response_rmt`. `next_cursor` in the response continues after its last row. With `search` a page may be short although more follow: `searched_to` says how far back it looked.",
      ),
    })
    .post("/v1/request/query", ({ body, request }) => find(request, body, "legacy"), {
      body: queryBody("legacy"),
      ...endpoint(
        "Requests",
        "Find requests by any group of fields",
        "As `query-fast`, with the groups `request`, `response`, `feedback`, `sessions_request_response_rmt`, `properties` and `values` as well.",
      ),
    })
    .post(
      "/v1/request/count/query",
      async ({ body, request }) => {
        const caller = callers.of(request);
        const { scope, decoded } = readScope(caller, body);
        await settled(context);
        const until = deadline();
        const count = await source.count(scope, until);
        return success(count, await queryWarnings(source, caller.organizationId, decoded, until));
      },
      { body: COUNT_BODY, ...endpoint("Requests", "Count requests", "`data` is the number.") },
    );
}

/** If a query had to read too many bodies, the error says that it can be run in parts. */
function sayPartial(cause: unknown): unknown {
  if (!(cause instanceof GatewayError) || cause.code !== "query_timeout") return cause;
  const message =
    'reading what was said takes longer than a query may: send "partial": true for what is found in a second, or narrow the filter';
  return new GatewayError("query_timeout", message, { cause });
}
