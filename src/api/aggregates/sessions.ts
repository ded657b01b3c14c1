import { Elysia, type Static, t } from "elysia";
import { type Key, SESSION_SORTS } from "../../engine/aggregates.ts";
import { GatewayError } from "../../errors.ts";
import type { Scope } from "../../filter/scope.ts";
import { ALL } from "../../filter/tree.ts";
import { isoTime } from "../../record/iso-time.ts";
import { Deadline } from "../../store/database/deadline.ts";
import type { Callers } from "../access/callers.ts";
import { settled } from "../caught-up.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import {
  AGGREGATES_MAX,
  FILTER,
  includeStoredBytes,
  optional,
  optionalSearch,
  optionalSort,
  paging,
  readPaging,
  readScope,
} from "../input/query-body.ts";
import { searchWords } from "../requests/search.ts";
import { queryWarnings, whySlow } from "../requests/warnings.ts";
import { readTotalsSort } from "./totals-sort.ts";

const SESSIONS = t.Object(
  {
    filter: t.Optional(FILTER),
    ...paging(AGGREGATES_MAX),
    sort: optionalSort,
    search: optionalSearch,
    whole: optional(
      t.Boolean({
        description: "true adds up all requests of each session of which one fits; without it those that fit.",
      }),
    ),
    includeStoredBytes,
  },
  { additionalProperties: false },
);

/** Search hits whose sessions are listed: the newest. */
const HITS_MAX = 10_000;

interface Choice {
  /** The requests that metrics are computed over. */
  readonly scope: Scope;
  readonly among?: ReadonlySet<Key>;
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** Sessions, selected by a condition on any of their requests. */
export function sessionListEndpoints(context: ApiContext, callers: Callers) {
  const { aggregates } = context.engine;

  /** The sessions that the caller selects, and the requests that metrics are computed over. */
  const choose = async (
    requested: Scope,
    { search, whole }: Static<typeof SESSIONS>,
    deadline: Deadline,
  ): Promise<Choice> => {
    const all = { ...requested, tree: ALL };
    if (typeof search === "string") {
      if (whole === false)
        throw new GatewayError("invalid_body", "a search adds up whole sessions: leave whole out", { path: "whole" });
      const { keys, searchedTo } = await searchWords(context, requested, { search, limit: HITS_MAX, deadline });
      const among = await aggregates.sessionsOf(requested, keys, deadline);
      return { scope: all, among, extra: { searched_to: searchedTo === undefined ? null : isoTime(searchedTo) } };
    }
    if (whole !== true) return { scope: requested };
    return { scope: all, among: await aggregates.sessionsWith(requested, deadline) };
  };

  return new Elysia().post(
    "/v1/session/query",
    async ({ body, request }) => {
      const order = readTotalsSort(body.sort ?? undefined, SESSION_SORTS, "latest_request_created_at");
      const page = readPaging(body, AGGREGATES_MAX);
      const caller = callers.of(request);
      const { scope: requested, decoded } = readScope(caller, body);
      await settled(context);
      const deadline = new Deadline(context.config.query_timeout_seconds * 1000);
      const { scope, among, extra } = await choose(requested, body, deadline);
      const rows = await aggregates.sessions(scope, { order, page, among }, deadline);
      const withBytes = body.includeStoredBytes === true;
      const shown = withBytes ? await aggregates.withSessionBytes(scope, rows, deadline) : rows;
      const warnings = await queryWarnings(context.engine.source, caller.organizationId, decoded, deadline);
      return success(shown, await whySlow(aggregates, requested.tree, warnings), extra);
    },
    {
      body: SESSIONS,
      ...endpoint(
        "Sessions",
        "Find sessions",
        "The most recently active first, unless `sort` is given. With `search`, `searched_to` says how far back hits were found; null if all records were searched.",
      ),
    },
  );
}
