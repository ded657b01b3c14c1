import { Type as t } from "@sinclair/typebox";
import { rowsWithin } from "../bounds.ts";
import { CHOICE, chosen, limit } from "../inputs.ts";
import { present } from "../summary.ts";
import { type Tool, tool } from "../tool.ts";

const ROWS = 50;
const ROWS_MAX = 1_000;

export const AGGREGATE_TOOLS: readonly Tool[] = [
  tool({
    name: "metrics",
    title: "Totals and percentiles",
    description:
      "Requests, errors, cost, tokens, latency percentiles and cache hits of the chosen requests: in total, by group, by time, or both. Results are exact.",
    endpoint: "POST /v1/metrics/query",
    input: t.Object(
      {
        ...CHOICE,
        group_by: t.Optional(
          t.Array(t.String(), {
            maxItems: 4,
            description:
              "Of model, provider, user, status, session, key, outcome, error_code, finish_reason, route, credential, prompt, prompt_version, property:<Name>, score:<Name>.",
            examples: [["model"], ["provider", "property:Team"]],
          }),
        ),
        time_bucket: t.Optional(t.String({ description: "minute, hour or day.", examples: ["day"] })),
        speeds: t.Optional(t.Boolean({ description: "true adds the time to the first token and tokens per second." })),
        scores: t.Optional(
          t.Array(t.String(), { maxItems: 8, description: "Names of scores: adds count, mean, min and max of each." }),
        ),
        limit: limit(ROWS_MAX, ROWS),
        offset: t.Optional(t.Integer({ minimum: 0 })),
      },
      { additionalProperties: false },
    ),
    output: { rows: { type: "array", items: { type: "object" } }, next_offset: { type: ["integer", "null"] } },
    async call(ask, { group_by, time_bucket, speeds, scores, offset = 0, ...input }) {
      const wanted = input.limit ?? ROWS;
      const optional = present({ group_by, time_bucket, speeds, scores });
      const body = { filter: chosen(input), ...optional, limit: wanted, offset };
      const { data } = await ask("POST", "/v1/metrics/query", body);
      const rows = rowsWithin(data);
      const isWhole = rows.length === data.length && data.length < wanted;
      return { rows, next_offset: isWhole ? null : offset + rows.length };
    },
  }),
  tool({
    name: "list_properties",
    title: "List properties or their values",
    description:
      "Names of the custom properties that requests carry; with a name, its values. Use them in filters as property.<Name>=<value>, and in metrics as property:<Name>.",
    endpoint: "POST /v1/property/query",
    input: t.Object(
      {
        name: t.Optional(
          t.String({ minLength: 1, description: "A property, for its values.", examples: ["Environment"] }),
        ),
        search: t.Optional(t.String({ description: "Values that contain this, in any case." })),
        limit: limit(ROWS_MAX, ROWS),
      },
      { additionalProperties: false },
    ),
    output: {
      properties: { type: "array", items: { type: "string" } },
      values: { type: "array", items: { type: "string" } },
    },
    async call(ask, { name, search, limit = ROWS }) {
      if (name === undefined) {
        const { data } = await ask("POST", "/v1/property/query", { limit });
        return { properties: rowsWithin(data.map((row: { property: string }) => row.property)) };
      }
      const body = { limit, ...present({ search }) };
      const { data } = await ask("POST", `/v1/property/${encodeURIComponent(name)}/search`, body);
      return { values: rowsWithin(data.map((row: { value: string }) => row.value)) };
    },
  }),
  tool({
    name: "list_models",
    title: "List models",
    description:
      "Models that were seen, with their provider, how many requests they had and since when; pending ones have no usage or cost yet, and a reason.",
    endpoint: "GET /v1/models",
    input: t.Object({}, { additionalProperties: false }),
    output: { models: { type: "array", items: { type: "object" } } },
    call: async (ask) => ({ models: rowsWithin((await ask("GET", "/v1/models")).data) }),
  }),
];
