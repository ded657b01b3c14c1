import { type Static, Type } from "@sinclair/typebox";
import { GatewayError } from "../../errors.ts";
import { decodeFilter } from "../../filter/decode.ts";
import { quote } from "../../filter/spelling.ts";
import { refuseUnknownFields } from "./prompt-fields.ts";

const SCORES_MAX = 5;
const CHOICES_MAX = 20;
const NAME = { minLength: 1, maxLength: 100, pattern: "\\S" };

const CHOICE = Type.Object(
  {
    label: Type.String({ ...NAME, description: "The word in the judge's response." }),
    value: Type.Number({ description: "The score that it stands for." }),
  },
  { additionalProperties: false },
);

const SCORE = Type.Object(
  {
    name: Type.String({ ...NAME, description: "Of the score that is stored." }),
    kind: Type.Union([Type.Literal("number"), Type.Literal("boolean"), Type.Literal("choice")], {
      description: "number: from 0 to 1. boolean: true is 1. choice: one of `choices`.",
      expects: 'give "number", "boolean" or "choice"',
    }),
    description: Type.Optional(Type.String({ maxLength: 1_000, description: "What it means, for the judge." })),
    choices: Type.Optional(Type.Array(CHOICE, { minItems: 2, maxItems: CHOICES_MAX })),
  },
  { additionalProperties: false },
);

const BUDGET = Type.Object(
  {
    dollars: Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000 }),
    per: Type.Union([Type.Literal("day"), Type.Literal("month")], {
      description: "Of the calendar, in UTC.",
      expects: 'give "day" or "month"',
    }),
  },
  { additionalProperties: false },
);

export const JUDGE_SCHEMA = Type.Object(
  {
    // The name is sent as a header value.
    name: Type.String({
      pattern: "^[!-~]([ -~]{0,58}[!-~])?$",
      expects: "give 1 to 60 characters of ASCII",
      description: "Unique in the organization.",
    }),
    model: Type.String({
      minLength: 1,
      maxLength: 500,
      description: "As at the unified address: a route, a model or provider/model.",
    }),
    key: Type.String({
      description: "Id of the service key that its calls are made with. It needs the scope gateway.",
    }),
    prompt: Type.String({
      minLength: 1,
      maxLength: 20_000,
      description:
        "What to judge and how, with {{input}}, {{output}}, {{messages}}, {{reference}}, {{property.<Name>}}.",
    }),
    scores: Type.Array(SCORE, { minItems: 1, maxItems: SCORES_MAX, description: "The scores that it gives." }),
    filter: Type.Optional(Type.Unknown({ description: 'Which new requests, as in queries; default: "all".' })),
    share: Type.Optional(
      Type.Number({ minimum: 0, maximum: 100, description: "Percent of these that are judged; default: 10." }),
    ),
    budget: Type.Optional(
      Type.Union([BUDGET, Type.Null()], { description: "It pauses once so much is spent; null for no bound." }),
    ),
    reference: Type.Optional(
      Type.Union([Type.String({ minLength: 1, maxLength: 1_000 }), Type.Null()], {
        description: "Name of the property that {{reference}} stands for.",
      }),
    ),
    enabled: Type.Optional(Type.Boolean({ description: "Whether new requests are judged; default: false." })),
  },
  { additionalProperties: false },
);

/** As received. */
export type JudgeBody = Static<typeof JUDGE_SCHEMA>;
export type JudgeScore = Static<typeof SCORE>;
export type Budget = Static<typeof BUDGET>;

/** Validated and complete. */
export interface JudgeRule {
  readonly name: string;
  readonly model: string;
  readonly key_id: string;
  readonly prompt: string;
  readonly scores: JudgeScore[];
  readonly filter: unknown;
  readonly share: number;
  readonly budget: Budget | null;
  readonly reference: string | null;
  readonly enabled: boolean;
}

/** @throws GatewayError `invalid_body` or `filter_invalid` that names the wrong field of a body with the right shape. */
export function readJudgeRule(body: JudgeBody): JudgeRule {
  const { key, filter = "all", share = 10, budget = null, reference = null, enabled = false, ...rest } = body;
  decodeFilter(filter, "legacy");
  refuseUnknownFields(body.prompt);
  checkScores(body.scores);
  return { ...rest, key_id: key, filter, share, budget, reference, enabled };
}

function checkScores(scores: readonly JudgeScore[]): void {
  const names = new Set<string>();
  for (const [index, { name, kind, choices }] of scores.entries()) {
    const path = `scores.${index}`;
    if (names.has(name.toLowerCase())) throw wrong(`${path}.name`, `there are two scores ${quote(name)}`);
    names.add(name.toLowerCase());
    if ((kind === "choice") !== (choices !== undefined))
      throw wrong(`${path}.choices`, "give choices if kind is choice, and only then");
    const labels = (choices ?? []).map(({ label }) => label.trim().toLowerCase());
    if (new Set(labels).size < labels.length) throw wrong(`${path}.choices`, "two choices have the same label");
  }
}

const wrong = (path: string, message: string) => new GatewayError("invalid_body", `${path}: ${message}`, { path });
