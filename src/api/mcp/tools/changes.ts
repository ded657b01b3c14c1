import { Type as t } from "@sinclair/typebox";
import { ID } from "../inputs.ts";
import { type Tool, tool } from "../tool.ts";

const pathOf = (id: string, what: string) => `/v1/request/${encodeURIComponent(id)}/${what}`;

/** Only for keys that may write. */
export const CHANGE_TOOLS: readonly Tool[] = [
  tool({
    name: "add_score",
    title: "Score a request",
    description:
      "Gives a request one or more named scores. Scores with other names stay; one with the same name is replaced.",
    endpoint: "POST /v1/request/:id/score",
    writes: true,
    input: t.Object(
      {
        id: ID,
        scores: t.Record(t.String(), t.Union([t.Number(), t.Boolean()]), {
          description: "By name.",
          examples: [{ helpful: true, quality: 0.8 }],
        }),
      },
      { additionalProperties: false },
    ),
    output: { scores: { type: "object" } },
    call: async (ask, { id, scores }) => ({
      scores: (await ask("POST", pathOf(id, "score"), { scores })).data[0].scores,
    }),
  }),
  tool({
    name: "set_property",
    title: "Label a request",
    description: "Sets custom properties of a request. Others stay; null removes one.",
    endpoint: "PUT /v1/request/:id/property",
    writes: true,
    input: t.Object(
      {
        id: ID,
        properties: t.Record(t.String(), t.Union([t.String(), t.Null()]), {
          description: "By name.",
          examples: [{ Reviewed: "yes" }],
        }),
      },
      { additionalProperties: false },
    ),
    output: { properties: { type: "object" } },
    call: async (ask, { id, properties }) => ({
      properties: (await ask("PUT", pathOf(id, "property"), properties)).data[0].properties,
    }),
  }),
  tool({
    name: "add_feedback",
    title: "Rate a request",
    description: "Says whether the response was good (true) or bad (false).",
    endpoint: "POST /v1/request/:id/feedback",
    writes: true,
    input: t.Object({ id: ID, rating: t.Boolean() }, { additionalProperties: false }),
    output: { rating: { type: "boolean" } },
    call: async (ask, { id, rating }) => ({
      rating: (await ask("POST", pathOf(id, "feedback"), { rating })).data[0].feedback_rating,
    }),
  }),
];
