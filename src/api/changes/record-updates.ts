import { t } from "elysia";
import { GatewayError } from "../../errors.ts";
import { maskLabel } from "../../masking/mask.ts";
import { storable } from "../../record/storable.ts";
import type { RecordUpdate } from "../../threads.ts";
import type { Owner } from "../access/owner.ts";

/** How long a change waits for the recorder, which may be waiting for an unavailable database. */
export const UPDATE_MS = 10_000;
/** Names in one change, at most: the database merges them in quadratic time. */
const NAMES_MAX = 1_000;

export const PROPERTIES = t.Object(
  {},
  {
    additionalProperties: t.Union([t.String(), t.Null()], { expects: "give text, or null to remove the property" }),
    maxProperties: NAMES_MAX,
    description: "Property names and their values, without a header prefix; null removes.",
    expects: `give an object of property names and values, at most ${NAMES_MAX}`,
  },
);

export const SCORE_MAP = t.Object(
  {},
  {
    additionalProperties: t.Union([t.Number(), t.Boolean()], { expects: "give a number, true or false" }),
    maxProperties: NAMES_MAX,
    description: "Score names and values. A second call merges.",
  },
);

/** Characters of a reason, at most. */
const REASON_CHARS_MAX = 4_000;

export const REASONS = t.Optional(
  t.Object(
    {},
    {
      additionalProperties: t.String({
        maxLength: REASON_CHARS_MAX,
        expects: `give text of up to ${REASON_CHARS_MAX} characters`,
      }),
      maxProperties: NAMES_MAX,
      description: "Reasons, by the name of the score.",
    },
  ),
);

/**
 * Property names and values as they are stored.
 *
 * @param path - their place in the body, with a trailing dot, or empty.
 * @throws GatewayError `invalid_body`
 */
export function readProperties(
  properties: Readonly<Record<string, string | null>>,
  path = "",
): Record<string, string | null> {
  refuseEmptyName(properties, path);
  const entries = Object.entries(properties);
  return Object.fromEntries(
    entries.map(([name, value]) => [storable(name), value === null ? null : storable(maskLabel(value, name))]),
  );
}

/** Scores as they are stored; true is 1. @throws GatewayError `invalid_body` */
function readScores(scores: Readonly<Record<string, number | boolean>>): Record<string, number> {
  refuseEmptyName(scores, "scores.");
  return Object.fromEntries(Object.entries(scores).map(([name, value]) => [storable(name), Number(value)]));
}

/** Scores with their authors and reasons. @throws GatewayError `invalid_body` for a reason without a score. */
export function readRatedScores(
  given: {
    readonly scores: Readonly<Record<string, number | boolean>>;
    readonly reasons?: Readonly<Record<string, string>>;
  },
  by: Owner,
): Pick<RecordUpdate, "scores" | "ratings"> {
  const { reasons = {} } = given;
  for (const name of Object.keys(reasons)) {
    if (Object.hasOwn(given.scores, name)) continue;
    throw new GatewayError("invalid_body", "there is a reason, but no score with this name", {
      path: `reasons.${name}`,
    });
  }
  const scores = readScores(given.scores);
  const texts = new Map(Object.entries(reasons).map(([name, text]) => [storable(name), storable(text)]));
  const ratings = Object.keys(scores).map(
    (name) => [name, { source: by.id, author: by.name, reason: texts.get(name) || null }] as const,
  );
  return { scores, ratings: Object.fromEntries(ratings) };
}

function refuseEmptyName(names: object, path: string): void {
  if (Object.hasOwn(names, "")) throw new GatewayError("invalid_body", "a name is empty", { path });
}

export function tooLate(): never {
  throw new GatewayError("database_unavailable", "the change could not be written in time");
}
