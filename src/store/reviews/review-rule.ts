import { type Static, Type } from "@sinclair/typebox";
import { GatewayError } from "../../errors.ts";
import { quote } from "../../filter/spelling.ts";

const SCORES_MAX = 5;
/** One per number key on the keyboard. */
const CHOICES_MAX = 9;
const REVIEWERS_MAX = 20;
const NAME = {
  minLength: 1,
  maxLength: 100,
  pattern: "\\S",
  expects: "give 1 to 100 characters, not only blanks",
};
const strict = { additionalProperties: false };

const CHOICE = Type.Object(
  {
    label: Type.String({ ...NAME, description: "What the reviewer chooses." }),
    value: Type.Number({ description: "The score that it stands for." }),
  },
  strict,
);

const SCORE = Type.Object(
  {
    name: Type.String({ ...NAME, description: "Of the score that is stored." }),
    kind: Type.Union([Type.Literal("number"), Type.Literal("boolean"), Type.Literal("choice")], {
      description: "number: from `min` to `max`. boolean: true is 1. choice: one of `choices`.",
      expects: 'give "number", "boolean" or "choice"',
    }),
    description: Type.Optional(Type.String({ maxLength: 1_000, description: "What it means, for the reviewer." })),
    choices: Type.Optional(Type.Array(CHOICE, { minItems: 2, maxItems: CHOICES_MAX })),
    min: Type.Optional(Type.Number({ description: "Of a number; default: 0." })),
    max: Type.Optional(Type.Number({ description: "Of a number; default: 1." })),
    step: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, description: "Of a number: only `min` plus whole steps; default: any." }),
    ),
  },
  strict,
);

export const REVIEW_SCHEMA = Type.Object(
  {
    name: Type.String({ ...NAME, description: "Unique in the organization." }),
    scores: Type.Array(SCORE, { minItems: 1, maxItems: SCORES_MAX, description: "What reviewers are asked." }),
    order: Type.Optional(
      Type.Union([Type.Literal("newest"), Type.Literal("oldest"), Type.Literal("random")], {
        description: "Which request comes first; default: newest. random is the same for every reviewer.",
        expects: 'give "newest", "oldest" or "random"',
      }),
    ),
    reviewers: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: REVIEWERS_MAX,
        description: "Number of reviewers per request; default: 1.",
      }),
    ),
  },
  strict,
);

/** As received. */
export type ReviewBody = Static<typeof REVIEW_SCHEMA>;
export type ReviewScore = Static<typeof SCORE>;
/** A score as a reviewer gives it: a number, a boolean, or the label of a choice. */
export type GivenScore = number | boolean | string;

/** Validated and complete. */
export interface ReviewRule {
  readonly name: string;
  readonly scores: readonly ReviewScore[];
  readonly sequence: "newest" | "oldest" | "random";
  readonly reviewers: number;
}

/** @throws GatewayError `invalid_body` that names the wrong field of a body with the right shape. */
export function readReviewRule({ name, scores, order = "newest", reviewers = 1 }: ReviewBody): ReviewRule {
  const names = new Set<string>();
  for (const [index, score] of scores.entries()) {
    const path = `scores.${index}`;
    if (names.has(score.name)) throw wrong(`${path}.name`, `there are two scores ${quote(score.name)}`);
    names.add(score.name);
    checkChoices(score, path);
    checkRange(score, path);
  }
  return { name: name.trim(), scores, sequence: order, reviewers };
}

function checkChoices({ kind, choices }: ReviewScore, path: string): void {
  if ((kind === "choice") !== (choices !== undefined))
    throw wrong(`${path}.choices`, "give choices if kind is choice, and only then");
  const labels = (choices ?? []).map(({ label }) => label);
  if (new Set(labels).size < labels.length) throw wrong(`${path}.choices`, "two choices have the same label");
}

function checkRange(score: ReviewScore, path: string): void {
  const { kind, min, max, step } = score;
  if (kind !== "number" && (min ?? max ?? step) !== undefined)
    throw wrong(path, "min, max and step are those of a number");
  const range = rangeOf(score);
  if (range.min >= range.max) throw wrong(`${path}.max`, `give more than min, which is ${range.min}`);
  if (step !== undefined && step > range.max - range.min)
    throw wrong(`${path}.step`, "it is longer than the way from min to max");
}

const rangeOf = ({ min = 0, max = 1 }: ReviewScore) => ({ min, max });

/** One score as it is stored. */
interface ReadScore {
  readonly value: number;
  /** The selected label of a choice. */
  readonly label: string | null;
}

/** Reads the scores that a reviewer gave, by name. @throws GatewayError `invalid_body`. */
export function readGiven(
  scores: readonly ReviewScore[],
  given: Readonly<Record<string, GivenScore>>,
): ReadonlyMap<string, ReadScore> {
  const read = new Map<string, ReadScore>();
  for (const [name, value] of Object.entries(given)) {
    const path = `scores.${name}`;
    const score = scores.find((each) => each.name === name);
    if (score === undefined) {
      const names = scores.map((each) => quote(each.name)).join(", ");
      throw wrong(path, `the review does not ask for this score, but for ${names}`);
    }
    read.set(name, readOne(score, value, path));
  }
  if (read.size === 0) throw wrong("scores", "give one score at least, or skip the request");
  return read;
}

function readOne(score: ReviewScore, value: GivenScore, path: string): ReadScore {
  if (score.kind === "boolean") {
    if (typeof value !== "boolean") throw wrong(path, "give true or false");
    return { value: Number(value), label: null };
  }
  if (score.kind === "choice") {
    const choice = score.choices?.find(({ label }) => label === value);
    const labels = (score.choices ?? []).map(({ label }) => quote(label)).join(", ");
    if (choice === undefined) throw wrong(path, `give one of ${labels}`);
    return choice;
  }
  const { min, max } = rangeOf(score);
  if (typeof value !== "number" || value < min || value > max) throw wrong(path, `give a number from ${min} to ${max}`);
  if (score.step !== undefined && !isWhole((value - min) / score.step))
    throw wrong(path, `give ${min} plus whole steps of ${score.step}`);
  return { value, label: null };
}

/** Allows for rounding errors of the division. */
const isWhole = (steps: number) => Math.abs(steps - Math.round(steps)) < 1e-6;

const wrong = (path: string, message: string) => new GatewayError("invalid_body", `${path}: ${message}`, { path });
