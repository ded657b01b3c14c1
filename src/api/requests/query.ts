import { Elysia, t } from "elysia";
import { decodeCursor, encodeCursor } from "../../filter/cursor.ts";
import type { Dialect } from "../../filter/decode.ts";
import type { Flags } from "../../filter/flags.ts";
import { decodeSort } from "../../filter/sort.ts";
import { Deadline } from "../../store/database/deadline.ts";
import { countMatches, findPage } from "../../store/find/find.ts";
import type { Gate } from "../access/gate.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import {
  FILTER,
  FLAGS,
  includeBody,
  includeInputs,
  optionalCursor,
  optionalSort,
  paging,
  readPaging,
  readScope,
} from "../input/query-body.ts";
import type { ApiRoom } from "../room.ts";
import { settled } from "../settled.ts";
import { answerRecords } from "./answer.ts";
import { queryWarnings } from "./warnings.ts";

/** Most rows of one answer. */
const ROWS_MAX: Readonly<Record<Dialect, number>> = { legacy: 1_000, fast: 10_000 };

const queryBody = (dialect: Dialect) =>
  t.Object(
    {
      filter: FILTER,
      ...FLAGS,
      ...paging(ROWS_MAX[dialect]),
      sort: optionalSort,
      cursor: optionalCursor,
      includeBody,
      includeInputs,
    },
    { additionalProperties: false },
  );

type QueryBody = Flags & {
  readonly filter: unknown;
  readonly sort?: unknown;
  readonly limit?: number | null;
  readonly offset?: number | null;
  readonly cursor?: string | null;
  readonly includeBody?: boolean | null;
  readonly includeInputs?: boolean | null;
};

const COUNT_BODY = t.Object({ filter: FILTER, ...FLAGS }, { additionalProperties: false });

/** Finding requests by a filter. */
export function queryEndpoints(room: ApiRoom, gate: () => Gate) {
  const database = room.reader.records;
  const deadline = () => new Deadline(room.config.query_timeout_seconds * 1000);

  const query = async (request: Request, body: QueryBody, dialect: Dialect) => {
    const { organizationId } = gate().caller(request);
    const { scope, decoded } = readScope(organizationId, body, dialect);
    const sort = decodeSort(body.sort);
    const { limit, offset } = readPaging(body, ROWS_MAX[dialect]);
    const cursor = body.cursor ?? undefined;
    const after = cursor === undefined ? undefined : decodeCursor(cursor, scope, sort);
    // What a query waits for, its later pages have waited for already.
    if (after === undefined) await settled(room);
    const until = deadline();
    const page = await findPage(database, scope, { sort, limit, offset, after, deadline: until });
    const asked = { organizationId, by: "seq", keys: page.rows.map(({ seq }) => seq) } as const;
    return answerRecords(room, request, asked, {
      includeBody: body.includeBody ?? true,
      includeInputs: body.includeInputs ?? false,
      extra: { next_cursor: page.next === undefined ? null : encodeCursor(page.next, scope, sort) },
      headers: await queryWarnings(database, organizationId, decoded, until),
    });
  };

  return new Elysia()
    .post("/v1/request/query-fast", ({ body, request }) => query(request, body, "fast"), {
      body: queryBody("fast"),
      ...endpoint(
        "read",
        "Requests",
        "Find requests",
        "Every leaf of the filter is wrapped in `request_response_rmt`. `next_cursor` in the answer continues after its last row.",
      ),
    })
    .post("/v1/request/query", ({ body, request }) => query(request, body, "legacy"), {
      body: queryBody("legacy"),
      ...endpoint(
        "read",
        "Requests",
        "Find requests by any group of fields",
        "As `query-fast`, with the groups `request`, `response`, `feedback`, `sessions_request_response_rmt`, `properties` and `values` besides.",
      ),
    })
    .post(
      "/v1/request/count/query",
      async ({ body, request }) => {
        const { organizationId } = gate().caller(request);
        const { scope, decoded } = readScope(organizationId, body);
        await settled(room);
        const until = deadline();
        const count = await countMatches(database, scope, until);
        return success(count, await queryWarnings(database, organizationId, decoded, until));
      },
      { body: COUNT_BODY, ...endpoint("read", "Requests", "Count requests", "`data` is the number.") },
    );
}
