import { quote } from "../../filter/spelling.ts";
import type { Json } from "../../plugin-host/contract.ts";
import type { JudgeScore } from "./judge-rule.ts";

const REASON_CHARS_MAX = 4_000;

/** One score that a judge gave. */
export interface JudgeVerdict {
  readonly name: string;
  readonly value: number;
  /** The selected label of a choice. */
  readonly label: string | null;
  readonly reason: string | null;
}

/** A judge's response lacks the requested scores; the message is for the author of the judge. */
export class Unreadable extends Error {
  override readonly name = "Unreadable";
}

/**
 * Reads the scores from a judge's response. Models put JSON into code fences or prose and write numbers as strings: all of
 * that is accepted. Values that were not requested are not.
 *
 * @throws Unreadable when a score is missing or not one of the allowed values.
 */
export function readVerdict(text: string, scores: readonly JudgeScore[]): readonly JudgeVerdict[] {
  const given = objectIn(text);
  if (given === undefined) throw new Unreadable(`the response holds no JSON object: ${quote(beginning(text))}`);
  return scores.map((score) => {
    const member = memberOf(given, score.name);
    const isObject = typeof member === "object" && member !== null;
    const value = isObject ? (member.score ?? member.value) : member;
    if (value === undefined || value === null)
      throw new Unreadable(`the response has no score ${quote(score.name)}: ${quote(beginning(text))}`);
    const reason = isObject ? member.reason : given.reason;
    return {
      name: score.name,
      ...valueOfScore(score, value),
      reason: typeof reason === "string" && reason !== "" ? reason.slice(0, REASON_CHARS_MAX) : null,
    };
  });
}

/** Maximum number of objects in a response that are tried. */
const OBJECTS_MAX = 20;

/** The last object in the text: a model that reasons aloud ends with its result. */
function objectIn(text: string): Json {
  const objects: string[] = [];
  let depth = 0;
  let begin = 0;
  let isText = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (isText) {
      if (sign === "\\") at++;
      else if (sign === '"') isText = false;
    } else if (sign === '"') isText = depth > 0;
    else if (sign === "{" && depth++ === 0) begin = at;
    else if (sign === "}" && depth > 0 && --depth === 0) objects.push(text.slice(begin, at + 1));
  }
  for (const object of objects.slice(-OBJECTS_MAX).reverse()) {
    const value = parsed(object);
    if (value !== undefined) return value;
  }
  return undefined;
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Ignores case, because models capitalise names. */
function memberOf(given: Json, name: string): Json {
  const key = Object.keys(given).find((each) => each.trim().toLowerCase() === name.trim().toLowerCase());
  return key === undefined ? undefined : given[key];
}

function valueOfScore(score: JudgeScore, value: Json): Pick<JudgeVerdict, "value" | "label"> {
  if (score.kind === "choice") {
    const wanted = String(value).trim().toLowerCase();
    const choice = score.choices?.find(({ label }) => label.trim().toLowerCase() === wanted);
    if (choice === undefined) throw notAllowed(score, value, "one of its choices");
    return { value: choice.value, label: choice.label };
  }
  if (score.kind === "boolean") {
    const word = String(value).trim().toLowerCase();
    if (!Object.hasOwn(BOOLEANS, word)) throw notAllowed(score, value, "true or false");
    return { value: BOOLEANS[word]!, label: null };
  }
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof number !== "number" || !(number >= 0 && number <= 1))
    throw notAllowed(score, value, "a number from 0 to 1");
  return { value: number, label: null };
}

const BOOLEANS: Readonly<Record<string, number>> = { true: 1, yes: 1, "1": 1, false: 0, no: 0, "0": 0 };

const notAllowed = ({ name }: JudgeScore, value: Json, allowed: string) =>
  new Unreadable(`the score ${quote(name)} is ${beginning(JSON.stringify(value))}, and not ${allowed}`);

const beginning = (text: string) => (text.length > 200 ? `${text.slice(0, 200)}…` : text);
