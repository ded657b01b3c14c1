import { Type as t } from "@sinclair/typebox";
import { readWrittenSort } from "../../../filter/written/sort.ts";
import { cut, rowsWithin } from "../bounds.ts";
import { CHOICE, chosen, ID, limit } from "../inputs.ts";
import { present, summaryOf } from "../summary.ts";
import { type Tool, tool } from "../tool.ts";

const LIMIT = 20;
const LIMIT_MAX = 100;
const CHARS = 8_000;
const CHARS_MAX = 40_000;

/** Members of a record that are long, expire, or are elsewhere in the result. */
const LEFT_OUT = new Set([
  ...["request_body", "response_body", "llmSchema", "signed_body_url", "asset_urls", "costUSD", "request_properties"],
  ...["asset_ids", "stored_bytes", "auth_hash"],
]);
const PARTS = ["conversation", "request_body", "response_body"] as const;
const MEMBER: Readonly<Record<(typeof PARTS)[number], string>> = {
  conversation: "llmSchema",
  request_body: "request_body",
  response_body: "response_body",
};

export const REQUEST_TOOLS: readonly Tool[] = [
  tool({
    name: "query_requests",
    title: "Find LLM requests",
    description:
      "Lists recorded LLM requests, newest first: id, time, model, status, latency, tokens, cost, user, session, properties, and the beginnings of what was said. Use get_request for the whole text of one, and metrics for totals.",
    endpoint: "POST /v1/request/query",
    input: t.Object(
      {
        ...CHOICE,
        search: t.Optional(
          t.String({
            description:
              'Words, beginnings (wor*) and "phrases" that were all said in the prompt or the response. Goes with no sort.',
            examples: ['"river level" flood*'],
          }),
        ),
        sort: t.Optional(
          t.String({
            description:
              "Keys with :asc or :desc (the default): created cost latency first_token tokens prompt_tokens completion_tokens user model.",
            examples: ["cost", "latency:desc,created:asc"],
          }),
        ),
        limit: limit(LIMIT_MAX, LIMIT),
        cursor: t.Optional(
          t.String({ description: "next_cursor of the previous result, with all other arguments unchanged." }),
        ),
      },
      { additionalProperties: false },
    ),
    output: { requests: { type: "array", items: { type: "object" } }, next_cursor: { type: ["string", "null"] } },
    async call(ask, { search, sort, cursor, ...input }) {
      const body = present({
        ...{ filter: chosen(input), includeBody: false, search, cursor },
        sort: sort === undefined ? undefined : readWrittenSort(sort),
      });
      const wanted = input.limit ?? LIMIT;
      const found = await ask("POST", "/v1/request/query", { ...body, limit: wanted });
      const all = found.data.map(summaryOf);
      const requests = rowsWithin(all);
      if (requests.length === all.length) return { requests, next_cursor: found.next_cursor };
      // The cursor belongs to a page's last row, so this requests the page again with only as many rows as fit.
      const again = await ask("POST", "/v1/request/query", { ...body, limit: requests.length });
      return { requests: again.data.map(summaryOf), next_cursor: again.next_cursor };
    },
  }),
  tool({
    name: "get_request",
    title: "Read one LLM request",
    description:
      "All that is recorded of a request: times, tokens, cost, routing, labels, and one part of its text. A long text is cut: call again with offset = next_offset for the rest.",
    endpoint: "GET /v1/request/:id",
    input: t.Object(
      {
        id: ID,
        part: t.Optional(
          t.Union(
            PARTS.map((part) => t.Literal(part)),
            {
              description:
                "conversation (the default): messages, tools and response in one form for all providers, as JSON. request_body, response_body: exactly what was sent.",
            },
          ),
        ),
        offset: t.Optional(t.Integer({ minimum: 0, description: "Characters of the part to skip." })),
        max_chars: t.Optional(
          t.Integer({ minimum: 1, maximum: CHARS_MAX, description: `Characters of the part; default: ${CHARS}.` }),
        ),
      },
      { additionalProperties: false },
    ),
    output: {
      request: { type: "object" },
      part: { type: "string", enum: PARTS },
      content: {
        type: ["object", "null"],
        properties: {
          text: { type: "string" },
          total_chars: { type: "integer" },
          next_offset: { type: ["integer", "null"] },
        },
      },
    },
    async call(ask, { id, part = "conversation", offset = 0, max_chars = CHARS }) {
      const { data } = await ask("GET", `/v1/request/${encodeURIComponent(id)}`);
      const members = Object.entries(data).filter(([name]) => !LEFT_OUT.has(name));
      const body = data[MEMBER[part]];
      const text = typeof body === "string" ? body : JSON.stringify(body);
      // A key that sees only metrics gets neither body, and an unmapped model has no conversation.
      const content = body === null || body === undefined ? null : cut(text, offset, max_chars);
      // A caller that reads the rest of a text already has the record.
      const request = offset > 0 ? { request_id: data.request_id } : present(Object.fromEntries(members));
      return { request, part, content };
    },
  }),
  tool({
    name: "explain_cost",
    title: "Explain what a request cost",
    description: "The price entry and the arithmetic, line by line, of a request's cost in US dollars.",
    endpoint: "GET /v1/request/:id/cost",
    input: t.Object({ id: ID }, { additionalProperties: false }),
    output: { cost: { type: "object" } },
    call: async (ask, { id }) => ({ cost: (await ask("GET", `/v1/request/${encodeURIComponent(id)}/cost`)).data }),
  }),
];
