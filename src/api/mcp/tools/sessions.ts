import { Type as t } from "@sinclair/typebox";
import { pageOf } from "../bounds.ts";
import { CHOICE, chosen, limit, NEXT_OFFSET, OFFSET } from "../inputs.ts";
import { summaryOf } from "../summary.ts";
import { type Tool, tool } from "../tool.ts";

const SESSIONS = 20;
const STEPS = 50;
const ROWS_MAX = 200;

export const SESSION_TOOLS: readonly Tool[] = [
  tool({
    name: "list_sessions",
    title: "List sessions",
    description:
      "Sessions (the runs of an agent, the turns of a conversation) with their requests, errors, cost, tokens and times; the one that was active last first.",
    endpoint: "POST /v1/session/query",
    input: t.Object({ ...CHOICE, limit: limit(ROWS_MAX, SESSIONS), offset: OFFSET }, { additionalProperties: false }),
    output: { sessions: { type: "array", items: { type: "object" } }, next_offset: NEXT_OFFSET },
    async call(ask, { limit = SESSIONS, offset = 0, ...choice }) {
      const body = { filter: chosen(choice), limit: limit + 1, offset };
      const { rows, ...rest } = pageOf((await ask("POST", "/v1/session/query", body)).data, offset, limit);
      return { sessions: rows, ...rest };
    },
  }),
  tool({
    name: "get_session",
    title: "Read a session",
    description:
      "The requests of one session in order, as query_requests shows them. session_path is the position of a step in an agent's tree.",
    endpoint: "POST /v1/request/query",
    input: t.Object(
      {
        session: t.String({ description: "The session's id.", examples: ["trip-2207"] }),
        limit: limit(ROWS_MAX, STEPS),
        offset: OFFSET,
      },
      { additionalProperties: false },
    ),
    output: {
      session: { type: ["object", "null"], description: "Totals of the whole session." },
      steps: { type: "array", items: { type: "object" } },
      next_offset: NEXT_OFFSET,
    },
    async call(ask, { session, limit = STEPS, offset = 0 }) {
      const filter = { sessions_request_response_rmt: { session_session_id: { equals: session } } };
      const totals = await ask("POST", "/v1/session/query", { filter, limit: 1 });
      const sort = { created_at: "asc" };
      const query = { filter, sort, limit: limit + 1, offset, includeBody: false };
      const { data } = await ask("POST", "/v1/request/query", query);
      const { rows, ...rest } = pageOf(data.map(summaryOf), offset, limit);
      return { session: totals.data[0] ?? null, steps: rows, ...rest };
    },
  }),
];
