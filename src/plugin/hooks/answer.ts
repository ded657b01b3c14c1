import { setImmediate as nextTurn } from "node:timers/promises";
import { MASKED } from "../../masking/mask.ts";
import type { AnswerNote, GatewayAnswer, Json } from "../contract.ts";

/** Bytes of JSON up to which `onAnswer` sees a body: parsing it takes the gateway's thread about a millisecond. */
export const ANSWER_BODY_BYTES_MAX = 256 * 1_024;
/** How long the gateway's thread asks plugins about answers before it looks at traffic again. */
const TURN_MS = 2;

/** An answer on its way from the recorder's thread to plugins. Plain: it is sent between threads. */
export interface AnswerFacts extends Omit<GatewayAnswer, "headers" | "body"> {
  /** Raw pairs as they are recorded. */
  readonly headers: readonly string[];
  /** JSON text. */
  readonly body: string | undefined;
}

/** What plugins see of them; headers and body are made when they are read. */
export function toAnswer(facts: AnswerFacts): GatewayAnswer {
  let headers: Headers | undefined;
  let body: { readonly value: Json } | undefined;
  return Object.defineProperties({ ...facts } as unknown as GatewayAnswer, {
    headers: { enumerable: true, get: () => (headers ??= shownHeaders(facts.headers)) },
    body: {
      enumerable: true,
      get() {
        body ??= { value: facts.body === undefined ? undefined : JSON.parse(facts.body) };
        return body.value;
      },
    },
  });
}

/** Without the masked ones, and without what no HTTP allows. */
function shownHeaders(pairs: readonly string[]): Headers {
  const headers = new Headers();
  for (let at = 0; at < pairs.length; at += 2) {
    if (pairs[at + 1] === MASKED) continue;
    try {
      headers.append(pairs[at]!, pairs[at + 1] ?? "");
    } catch {
      // Providers send what they like.
    }
  }
  return headers;
}

/** Whatever shows answers to plugins. */
interface AnswerHooks {
  /** Never throws. */
  onAnswer(answer: GatewayAnswer): AnswerNote | undefined | Promise<AnswerNote | undefined>;
}

/** Shows answers to the plugins, a few at a time. @returns what they add to each record, in the same order. */
export async function askAboutAnswers(
  hooks: AnswerHooks,
  answers: readonly AnswerFacts[],
): Promise<(AnswerNote | null)[]> {
  const notes: (AnswerNote | undefined | Promise<AnswerNote | undefined>)[] = [];
  let startedMs = performance.now();
  for (const facts of answers) {
    if (performance.now() - startedMs > TURN_MS) {
      await nextTurn();
      startedMs = performance.now();
    }
    notes.push(hooks.onAnswer(toAnswer(facts)));
  }
  return (await Promise.all(notes)).map((note) => note ?? null);
}

/** Names that one answer may get, as for a change through the API. */
const NAMES_MAX = 1_000;

/** What a hook returned for an answer, if it is a note. @throws where it is none. */
export function checkedNote(note: AnswerNote | undefined | void): AnswerNote | undefined {
  if (note === undefined || note === null) return undefined;
  if (!isObject(note)) throw new Error("onAnswer returns nothing, or an object with properties and scores");
  const unknown = Object.keys(note).find((name) => name !== "properties" && name !== "scores");
  if (unknown !== undefined) throw new Error(`onAnswer may return properties and scores, not ${unknown}`);
  const { properties = {}, scores = {} } = note;
  check("properties", properties, (value) => typeof value === "string" || value === null, "texts, or null");
  check("scores", scores, (value) => typeof value === "number" && Number.isFinite(value), "numbers");
  return { properties, scores };
}

function check(what: string, entries: unknown, fits: (value: unknown) => boolean, allowed: string): void {
  if (!isObject(entries)) throw new Error(`${what} must be an object of names and ${allowed}`);
  const all = Object.entries(entries);
  const wrong = all.find(([name, value]) => name === "" || !fits(value));
  if (wrong !== undefined) throw new Error(`${what} must be names and ${allowed}: "${wrong[0]}" is not`);
  if (all.length > NAMES_MAX) throw new Error(`${what} may have ${NAMES_MAX} names, not ${all.length}`);
}

/** Both notes in one; what is later counts. */
export function joinedNote(before: AnswerNote | undefined, next: AnswerNote | undefined): AnswerNote | undefined {
  if (before === undefined || next === undefined) return next ?? before;
  return {
    properties: { ...before.properties, ...next.properties },
    scores: { ...before.scores, ...next.scores },
  };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
