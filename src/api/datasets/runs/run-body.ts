import { Type } from "@sinclair/typebox";
import { type Static, t } from "elysia";
import { GatewayError } from "../../../errors.ts";
import type { RunSettings, Target } from "../../../store/datasets/runs.ts";

const TARGETS_MAX = 8;
const CONCURRENCY_MAX = 16;
const CONCURRENCY = 4;
const RETRIES = 2;

const strict = { additionalProperties: false };
/** Becomes a header value. */
const NAME = { minLength: 1, maxLength: 200, pattern: "^[^\\x00-\\x1f\\x7f]*\\S[^\\x00-\\x1f\\x7f]*$" };
const named = (description: string) =>
  t.Optional(t.String({ ...NAME, description, expects: "give 1 to 200 characters on one line" }));

const TARGET = t.Object(
  {
    model: t.String({ minLength: 1, maxLength: 1_000, description: "A model string: a model or a route." }),
    name: named("What the target is called in results; default: the model."),
    system: t.Optional(t.String({ maxLength: 1_048_576, description: "A system prompt that replaces the item's." })),
    parameters: t.Optional(
      t.Object({}, { additionalProperties: true, description: "Other members of the body, such as `temperature`." }),
    ),
    prompt_id: named("As in `Gateway-Prompt-Id`."),
    prompt_version: named("As in `Gateway-Prompt-Version`."),
  },
  strict,
);

const CHOICE = {
  targets: t.Array(TARGET, { minItems: 1, maxItems: TARGETS_MAX }),
  version: t.Optional(Type.Integer({ minimum: 0, description: "Version of the dataset; default: the newest." })),
  label: t.Optional(t.String({ minLength: 1, maxLength: 100, description: "Only items with this label." })),
};

const LIMITS = {
  max_cost: t.Optional(
    t.Union([t.Number({ exclusiveMinimum: 0, maximum: 1_000_000 }), t.Null()], {
      description:
        "US dollars. A call is not started if it would exceed this at the cost of the most expensive call so far.",
    }),
  ),
  concurrency: t.Optional(
    Type.Integer({ minimum: 1, maximum: CONCURRENCY_MAX, description: `Calls at a time; default: ${CONCURRENCY}.` }),
  ),
};

export const ESTIMATE = t.Object(CHOICE, strict);

export const NEW_RUN = t.Object(
  {
    ...CHOICE,
    ...LIMITS,
    name: named("Default: the names of the models."),
    retries: t.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 20,
        description: `How often a failed call is retried; default: ${RETRIES}.`,
      }),
    ),
    stream: t.Optional(
      t.Boolean({ description: "false requests whole responses, which have no time to the first token." }),
    ),
  },
  strict,
);

export const RESUME = t.Object(
  { ...LIMITS, errors: t.Optional(t.Boolean({ description: "true sends the items that failed again." })) },
  strict,
);

/** Members of a body that only the run sets. */
const OWN = ["model", "messages", "stream", "stream_options", "n", "tools"];

/** @throws GatewayError `invalid_body` that names the wrong member. */
export function readTargets(targets: Static<typeof ESTIMATE>["targets"]): readonly Target[] {
  const names = new Set<string>();
  return targets.map(({ model, name = model, system, parameters = {}, prompt_id, prompt_version }, at) => {
    const wrong = (member: string, why: string) => {
      const path = `targets.${at}.${member}`;
      return new GatewayError("invalid_body", `${path}: ${why}`, { path });
    };
    const own = OWN.find((member) => Object.hasOwn(parameters, member));
    if (own !== undefined) throw wrong(`parameters.${own}`, "the run sets it itself");
    if (JSON.stringify(parameters).length > 65_536) throw wrong("parameters", "they are too long");
    if (names.has(name)) throw wrong("name", "another target has this name: give each one of its own");
    names.add(name);
    const said = { system: system ?? null, prompt_id: prompt_id ?? null, prompt_version: prompt_version ?? null };
    // A model string may be longer than the limit for a name.
    return { name: name.slice(0, 200), model, parameters, ...said };
  });
}

export function settingsOf(body: Static<typeof NEW_RUN>): RunSettings {
  const { concurrency = CONCURRENCY, max_cost = null, retries = RETRIES, stream = true } = body;
  return { concurrency, max_cost, retries, stream };
}
