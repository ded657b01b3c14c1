import { Type as t } from "@sinclair/typebox";
import type { Json } from "../../../plugin-host/contract.ts";
import { pageOf } from "../bounds.ts";
import { CHOICE, chosen, limit, NEXT_OFFSET, OFFSET } from "../inputs.ts";
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
        time_bucket: t.Optional(t.String({ description: "minute, 5m, hour, 6h or day.", examples: ["day"] })),
        speeds: t.Optional(t.Boolean({ description: "true adds the time to the first token and tokens per second." })),
        scores: t.Optional(
          t.Array(t.String(), { maxItems: 8, description: "Names of scores: adds count, mean, min and max of each." }),
        ),
        limit: limit(ROWS_MAX, ROWS),
        offset: OFFSET,
      },
      { additionalProperties: false },
    ),
    output: { rows: { type: "array", items: { type: "object" } }, next_offset: NEXT_OFFSET },
    async call(ask, { group_by, time_bucket, speeds, scores, offset = 0, ...input }) {
      const wanted = input.limit ?? ROWS;
      const optional = present({ group_by, time_bucket, speeds, scores });
      const body = { filter: chosen(input), ...optional, limit: wanted + 1, offset };
      return pageOf((await ask("POST", "/v1/metrics/query", body)).data, offset, wanted);
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
        offset: OFFSET,
      },
      { additionalProperties: false },
    ),
    output: {
      properties: { type: "array", items: { type: "string" } },
      values: { type: "array", items: { type: "string" } },
      next_offset: NEXT_OFFSET,
    },
    async call(ask, { name, search, limit = ROWS, offset = 0 }) {
      const page = { limit: limit + 1, offset };
      if (name === undefined) {
        const { data } = await ask("POST", "/v1/property/query", page);
        const { rows, ...rest } = pageOf(data, offset, limit);
        return { properties: rows.map((row: Json) => row.property), ...rest };
      }
      const body = { ...page, ...present({ search }) };
      const { data } = await ask("POST", `/v1/property/${encodeURIComponent(name)}/search`, body);
      const { rows, ...rest } = pageOf(data, offset, limit);
      return { values: rows.map((row: Json) => row.value), ...rest };
    },
  }),
  tool({
    name: "list_models",
    title: "List models",
    description:
      "Models that were seen, with their provider, how many requests they had and since when; pending ones have no usage or cost yet, and a reason.",
    endpoint: "GET /v1/models",
    input: t.Object({ offset: OFFSET }, { additionalProperties: false }),
    output: { models: { type: "array", items: { type: "object" } }, next_offset: NEXT_OFFSET },
    async call(ask, { offset = 0 }) {
      const found = (await ask("GET", "/v1/models")).data.slice(offset);
      const { rows, ...rest } = pageOf(found, offset, found.length);
      return { models: rows, ...rest };
    },
  }),
];
