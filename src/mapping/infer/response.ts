import type { Json } from "../../plugin-host/contract.ts";
import { isObject } from "../json.ts";
import type { ReadingPlaces } from "../mapping.ts";
import { type Pointer, valuesAt } from "../pointer.ts";
import { placesOf } from "./leaves.ts";
import { isEncoded, says, WORDS, wordsOf } from "./member-names.ts";
import { toolCallsIn } from "./tools.ts";
import { inferCost, inferUsage, type Lengths } from "./usage.ts";

export interface ResponseContext {
  readonly model: string;
  /** The texts of the requests, to distinguish an echo from a response; request by request. */
  readonly inputs: readonly (readonly string[])[];
  readonly toolNames: ReadonlySet<string>;
}

/** The place of the text in complete responses: the longest prose that does not repeat the request. */
export function inferText(bodies: readonly Json[], { model, inputs }: ResponseContext): Pointer | undefined {
  const scored: { pointer: Pointer; score: number }[] = [];
  for (const [pointer, { leaf, values }] of placesOf(bodies)) {
    const texts = values.map((each) => each.filter((value) => typeof value === "string"));
    const filled = texts.filter((each) => each.join("").trim() !== "");
    if (filled.length === 0) continue;
    const all = filled.map((each) => each.join(""));
    if (all.every((text) => text === model || isIdLike(text) || isEncoded(text))) continue;
    const echoed = texts.filter((each, index) =>
      each.some((text) => text !== "" && inputs[index]?.includes(text)),
    ).length;
    const length = all.reduce((sum, text) => sum + text.length, 0) / all.length;
    const score =
      (filled.length / bodies.length) * 2 +
      (says(leaf.name, WORDS.text) ? 2.5 : 0) +
      (leaf.names.some((name) => says(name, OUTPUT)) ? 1 : 0) +
      (all.some((text) => /\s/.test(text)) ? 2 : 0) +
      (new Set(all).size > 1 ? 1 : 0) +
      Math.min(3, Math.log10(1 + length)) -
      (says(leaf.name, WORDS.noText) ? 4 : 0) -
      (leaf.names.some((name) => says(name, WORDS.reasoning)) ? 5 : 0) -
      (leaf.names.some((name) => /debug|trace|warn|safety|citation|source|notice|tool|argument/i.test(name)) ? 3 : 0) -
      (echoed / bodies.length) * 6;
    scored.push({ pointer, score });
  }
  const best = scored.sort((a, b) => b.score - a.score)[0];
  if (best === undefined || best.score < SCORE_MIN) return undefined;
  return firstChoice(best.pointer, bodies);
}
const OUTPUT: ReadonlySet<string> = new Set([...WORDS.output, "message", "choices", "result", "data"]);
const SCORE_MIN = 2.5;

/**
 * In a list of alternatives, marked by its name or a score, the first is the response; other lists hold pieces of one
 * response.
 */
function firstChoice(pointer: Pointer, bodies: readonly Json[]): Pointer {
  const steps = pointer.split("/");
  const isChoices = (at: number) =>
    says(steps[at - 1]!, WORDS.choices) ||
    bodies.flatMap((body) => valuesAt(body, steps.slice(0, at + 1).join("/"))).some(hasScore);
  return steps.map((step, at) => (step === "*" && isChoices(at) ? "0" : step)).join("/");
}
const hasScore = (element: Json) =>
  isObject(element) &&
  Object.keys(element).some((name) => says(name, WORDS.score) && typeof element[name] === "number");

const isIdLike = (text: string) =>
  /^[\w.:-]*\d[\w.:-]*$/.test(text) ||
  /^\d{4}-\d\d-\d\d[T ]/.test(text) ||
  /^https?:\/\//.test(text) ||
  text.length < 2;

/** The places of a response's other values. */
export function inferReading(
  bodies: readonly Json[],
  text: Pointer | undefined,
  lengths: Lengths,
  { model, toolNames }: ResponseContext,
): ReadingPlaces {
  const usage = inferUsage(bodies, lengths);
  const cost = inferCost(bodies);
  const calls = toolCallsIn(bodies, toolNames);
  const named = find(
    bodies,
    ({ name, value, depth }) => depth < 3 && (value === model || wordsOf(name).some((word) => WORDS.model.has(word))),
  );
  const id = find(
    bodies,
    ({ name, value, depth }) => depth < 3 && wordsOf(name).at(-1) === "id" && value !== model && !/\s/.test(value),
  );
  const reasoning = find(bodies, ({ name, names }) => [name, ...names].some((each) => says(each, WORDS.reasoning)));
  return {
    ...(text !== undefined && { text }),
    ...(reasoning !== undefined && reasoning !== text && { reasoning }),
    ...(named !== undefined && named !== text && { model: named }),
    ...(id !== undefined && id !== text && { id }),
    ...(usage && { usage }),
    ...(cost !== undefined && { cost }),
    ...(calls && calls.list !== "" && { tool_calls: calls }),
  };
}

interface Found {
  readonly name: string;
  readonly names: readonly string[];
  readonly value: string;
  readonly depth: number;
}

/** The outermost text that qualifies in most responses. */
function find(bodies: readonly Json[], fits: (found: Found) => boolean): Pointer | undefined {
  const places = [...placesOf(bodies)].filter(
    ([, { leaf }]) =>
      typeof leaf.value === "string" &&
      leaf.value !== "" &&
      fits({ name: leaf.name, names: leaf.names, value: leaf.value, depth: leaf.names.length }),
  );
  return places.sort((a, b) => a[1].leaf.names.length - b[1].leaf.names.length)[0]?.[0];
}

/** The place of the message in failed responses: the longest text with a suitable name. */
export function inferError(failures: readonly Json[]): ReadingPlaces["error"] {
  const texts = [...placesOf(failures)]
    .map(([pointer, { leaf, values }]) => ({
      pointer,
      leaf,
      texts: values.flat().filter((value) => typeof value === "string"),
    }))
    .filter(({ texts }) => texts.length > 0);
  const message = texts
    .map((each) => ({
      ...each,
      score: (says(each.leaf.name, WORDS.error) ? 3 : 0) + (each.texts.some((text) => /\s/.test(text)) ? 2 : 0),
    }))
    .filter(({ score }) => score >= 2)
    .sort((a, b) => b.score - a.score)[0];
  if (message === undefined) return undefined;
  const type = texts.find(
    ({ pointer, leaf }) => pointer !== message.pointer && /code|type|kind|class/i.test(leaf.name),
  );
  return { message: message.pointer, ...(type && { type: type.pointer }) };
}
