import type { AnswerNote, ReasonedScore } from "../contract.ts";

/** Maximum names per record, the same as for a change through the API. */
const NAMES_MAX = 1_000;
/** Maximum characters of a stored reason. */
const REASON_CHARS_MAX = 4_000;

/** The validated additions of hooks to a record: scores are numbers, reasons are separate. */
export interface Note {
  readonly properties: Readonly<Record<string, string | null>>;
  readonly scores: Readonly<Record<string, number>>;
  /** By the name of the score. */
  readonly reasons: Readonly<Record<string, NoteReason>>;
}

interface NoteReason {
  /** Name of the plugin. */
  readonly plugin: string;
  readonly text: string;
}

/** Which hook of which plugin returned a note. */
interface Noting {
  readonly name: string;
  readonly plugin: string;
}

/** A hook's return value as a note. @throws if it is invalid. */
export function checkedNote(note: AnswerNote | undefined | void, { name, plugin }: Noting): Note | undefined {
  if (note === undefined || note === null) return undefined;
  if (!isObject(note)) throw new Error(`${name} returns nothing, or an object with properties and scores`);
  const unknown = Object.keys(note).find((member) => member !== "properties" && member !== "scores");
  if (unknown !== undefined) throw new Error(`${name} may return properties and scores, not ${unknown}`);
  const { properties = {}, scores = {} } = note;
  check("properties", properties, (value) => typeof value === "string" || value === null, "texts, or null");
  check("scores", scores, isScore, "numbers, true or false, or objects with value and reason");
  const reasons = Object.entries(scores).flatMap(([score, given]) => {
    const text = typeof given === "object" ? given.reason : undefined;
    return text === undefined || text === ""
      ? []
      : [[score, { plugin, text: text.slice(0, REASON_CHARS_MAX) }] as const];
  });
  const values = Object.entries(scores).map(([score, given]) => [score, asNumber(given)] as const);
  return { properties: { ...properties }, scores: Object.fromEntries(values), reasons: Object.fromEntries(reasons) };
}

function isScore(given: unknown): boolean {
  if (!isObject(given)) return isValue(given);
  const { value, reason, ...others } = given as Partial<ReasonedScore>;
  return isValue(value) && (reason === undefined || typeof reason === "string") && Object.keys(others).length === 0;
}

const isValue = (value: unknown) => typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value));

const asNumber = (given: number | boolean | ReasonedScore) => Number(typeof given === "object" ? given.value : given);

function check(what: string, entries: unknown, fits: (value: unknown) => boolean, allowed: string): void {
  if (!isObject(entries)) throw new Error(`${what} must be an object of names and ${allowed}`);
  const all = Object.entries(entries);
  const wrong = all.find(([name, value]) => name === "" || !fits(value));
  if (wrong !== undefined) throw new Error(`${what} must be names and ${allowed}: "${wrong[0]}" is not`);
  if (all.length > NAMES_MAX) throw new Error(`${what} may have ${NAMES_MAX} names, not ${all.length}`);
}

/** Merges both notes; the later one wins. */
export function joinedNote(before: Note | undefined, next: Note | undefined): Note | undefined {
  if (before === undefined || next === undefined) return next ?? before;
  // A score that is set again without a reason loses its previous reason.
  const kept = Object.entries(before.reasons).filter(([score]) => !Object.hasOwn(next.scores, score));
  return {
    properties: { ...before.properties, ...next.properties },
    scores: { ...before.scores, ...next.scores },
    reasons: { ...Object.fromEntries(kept), ...next.reasons },
  };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
