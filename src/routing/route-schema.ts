import { type Static, Type } from "@sinclair/typebox";
import type { Need, Route } from "./route.ts";

const TARGETS_MAX = 20;
const NEEDS: readonly Need[] = ["tools", "images", "files", "audio", "json_schema", "reasoning"];
const STRATEGIES: readonly Route["strategy"][] = ["order", "weighted", "cheapest", "fastest"];
const ON_WORDS = ["4xx", "5xx", "network", "timeout", "context", "filtered", "auth"] as const;
/** Before the name of a property, as a member of `when` and in `sticky`. */
export const PROPERTY = "property:";

const choices = (names: readonly string[]) => ({ expects: `give one of ${names.join(", ")}` });
const literals = (names: readonly string[], more: object = {}) =>
  Type.Union(
    names.map((name) => Type.Literal(name)),
    { ...choices(names), ...more },
  );

export const MODEL = {
  maxLength: 300,
  expects: "give a name such as openai/gpt-5-mini, without spaces, commas and leading !",
};
const TIMEOUT = Type.Number({
  minimum: 0.1,
  maximum: 86_400,
  expects: "give seconds from 0.1 to 86400",
  description: "Seconds to the response's headers, and in a stream to its first content.",
});
export const TEXTS = Type.Union(
  [Type.String({ maxLength: 1_000 }), Type.Array(Type.String({ maxLength: 1_000 }), { minItems: 1, maxItems: 100 })],
  { expects: "give a text or a list of texts; * stands for any text" },
);
const TOKENS = Type.Integer({ minimum: 0, maximum: 1e9, expects: "give a whole number of tokens" });

export const WHEN_SCHEMA = Type.Object(
  {
    key: Type.Optional(TEXTS),
    user: Type.Optional(TEXTS),
    needs: Type.Optional(
      Type.Array(literals(NEEDS), {
        minItems: 1,
        maxItems: NEEDS.length,
        expects: `give a list out of ${NEEDS.join(", ")}`,
      }),
    ),
    max_input_tokens: Type.Optional(TOKENS),
    min_input_tokens: Type.Optional(TOKENS),
  },
  { additionalProperties: false, expects: "give an object of conditions", description: "`property:<Name>` as well." },
);

export const TARGET_SCHEMA = Type.Object(
  {
    model: Type.String(MODEL),
    weight: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1_000_000,
        expects: "give a number from 0 to 1000000",
        description: "Default 1; 0 means fallback only.",
      }),
    ),
    body: Type.Optional(
      Type.Record(Type.String({ maxLength: 200 }), Type.Unknown(), {
        maxProperties: 100,
        expects: "give an object of members to set in the client's body",
      }),
    ),
    on: Type.Optional(
      Type.Array(
        Type.Union([Type.Integer({ minimum: 400, maximum: 599 }), literals(ON_WORDS)], {
          expects: `give a status from 400 to 599, or one of ${ON_WORDS.join(", ")}`,
        }),
        { minItems: 1, maxItems: 50, expects: 'give a list of failures, such as [429, "5xx"]' },
      ),
    ),
    when: Type.Optional(Type.Object({}, { additionalProperties: true, expects: "give an object of conditions" })),
    timeout_seconds: Type.Optional(TIMEOUT),
  },
  { additionalProperties: false, expects: "give a model's name, or an object with model" },
);

export const ROUTE_SCHEMA = Type.Object(
  {
    targets: Type.Array(Type.Unknown({ description: "A name, or an object with `model`." }), {
      minItems: 1,
      maxItems: TARGETS_MAX,
      expects: `give a list of 1 to ${TARGETS_MAX} targets`,
    }),
    strategy: Type.Optional(literals(STRATEGIES, { description: "How the target is chosen; default `order`." })),
    sticky: Type.Optional(
      Type.String({
        pattern: `^(session|user|none|${PROPERTY}.{1,200})$`,
        expects: "give session, user, none or property:<Name>",
        description: "The scope that keeps its choice; default `session`.",
      }),
    ),
    retries: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 5,
        expects: "give a whole number from 0 to 5",
        description: "Retries of each target.",
      }),
    ),
    timeout_seconds: Type.Optional(TIMEOUT),
    description: Type.Optional(Type.String({ maxLength: 1_000, expects: "give a text of up to 1000 characters" })),
  },
  { additionalProperties: false, expects: "give an object with targets" },
);

/** A route in the form of the API. */
export type RouteBody = Static<typeof ROUTE_SCHEMA>;
