import { Elysia, type Static, t } from "elysia";
import type { Key } from "../../engine/libsql/blocks/groups.ts";
import { withSessionBytes } from "../../engine/libsql/figures/session-bytes.ts";
import { SESSION_SORTS, sessions, sessionsOf, sessionsWith } from "../../engine/libsql/figures/sessions.ts";
import { GatewayError } from "../../errors.ts";
import type { Scope } from "../../filter/select.ts";
import { ALL } from "../../filter/tree.ts";
import { isoTime } from "../../record/iso-time.ts";
import { Deadline } from "../../store/database/deadline.ts";
import type { Gate } from "../access/gate.ts";
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
import { queryWarnings, withMissingBlocks } from "../requests/warnings.ts";
import type { ApiRoom } from "../room.ts";
import { settled } from "../settled.ts";
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

/** Hits of a search whose sessions are listed: the newest. */
const HITS_MAX = 10_000;

interface Choice {
  /** Whose requests are added up. */
  readonly scope: Scope;
  readonly among?: ReadonlySet<Key>;
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** Sessions, found by what is true of one of their requests. */
export function sessionListEndpoints(room: ApiRoom, gate: () => Gate) {
  const database = room.reader.records;

  /** Which sessions are asked for, and over which of their requests figures are added up. */
  const choose = async (
    asked: Scope,
    { search, whole }: Static<typeof SESSIONS>,
    deadline: Deadline,
  ): Promise<Choice> => {
    const all = { ...asked, tree: ALL };
    if (typeof search === "string") {
      if (whole === false)
        throw new GatewayError("invalid_body", "a search adds up whole sessions: leave whole out", { path: "whole" });
      const { rows, searchedTo } = await searchWords(room, asked, { search, limit: HITS_MAX, deadline });
      const seqs = rows.map(({ seq }) => seq);
      const among = await sessionsOf(database, asked, seqs, deadline);
      return { scope: all, among, extra: { searched_to: searchedTo === undefined ? null : isoTime(searchedTo) } };
    }
    if (whole !== true) return { scope: asked };
    return { scope: all, among: await sessionsWith(database, asked, deadline) };
  };

  return new Elysia().post(
    "/v1/session/query",
    async ({ body, request }) => {
      const order = readTotalsSort(body.sort ?? undefined, SESSION_SORTS, "latest_request_created_at");
      const page = readPaging(body, AGGREGATES_MAX);
      const caller = gate().caller(request);
      const { scope: asked, decoded } = readScope(caller, body);
      await settled(room);
      const deadline = new Deadline(room.config.query_timeout_seconds * 1000);
      const { scope, among, extra } = await choose(asked, body, deadline);
      const rows = await sessions(database, scope, { order, page, among }, deadline);
      const shown = body.includeStoredBytes === true ? await withSessionBytes(database, scope, rows, deadline) : rows;
      const warnings = await queryWarnings(database, caller.organizationId, decoded, deadline);
      return success(shown, await withMissingBlocks(room.reader, asked.tree, warnings), extra);
    },
    {
      body: SESSIONS,
      ...endpoint(
        "Sessions",
        "Find sessions",
        "The one that was active last comes first, unless sorted. With `search`, `searched_to` says how far back hits were found; null where all were.",
      ),
    },
  );
}
