import type { Json } from "../../../plugin-host/contract.ts";
import { assignMembers, isObject, type JsonObject, listOf, setMember, textOf } from "../../json.ts";

const DEPTH_MAX = 32;

/** Whether more arguments of a part's call follow in later parts. */
export const goesOn = (part: Json): boolean => part?.functionCall?.willContinue === true;

/**
 * A part with a call, our own copy if its arguments come piece by piece: Vertex streams them so if the client asks for it.
 * Source: Google's pages on streamed function call arguments.
 */
export function begunCall(part: JsonObject): JsonObject {
  const { functionCall: given } = part;
  if (!isObject(given) || (given.willContinue !== true && !Array.isArray(given.partialArgs))) return { ...part };
  const begun = { ...part, functionCall: {} };
  addArguments(begun.functionCall, given);
  return begun;
}

/** Adds the next part of a function call to the parts before it. */
export function continueCall(begun: JsonObject, { functionCall, ...rest }: JsonObject): void {
  addArguments(begun.functionCall, functionCall);
  assignMembers(begun, rest);
}

/** Each is a value with its place, or the next piece of a text. */
function addArguments(call: JsonObject, { partialArgs, ...more }: JsonObject): void {
  const { willContinue, ...rest } = more;
  for (const name of Object.keys(rest)) setMember(call, name, rest[name]);
  for (const each of listOf(partialArgs)) {
    const place = placeIn(textOf(each?.jsonPath) ?? "");
    if (place !== undefined) call.args = withValue(call.args, place, each, 0);
  }
  if (willContinue === true) call.willContinue = true;
  else {
    // A whole call has arguments, and does not say that it is complete.
    delete call.willContinue;
    call.args ??= {};
  }
}

const STEP = /^(?:\.([^.[\]]+)|\[(\d{1,6})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\])/;

/** The names and indexes of a JSON path such as `$.rooms[0].name`; undefined if it is of another form, or too deep. */
function placeIn(path: string): readonly (string | number)[] | undefined {
  if (!path.startsWith("$.") && !path.startsWith("$[")) return undefined;
  const steps: (string | number)[] = [];
  for (let at = 1; at < path.length; ) {
    const [step, name, index, single, double] = STEP.exec(path.slice(at, at + 1_000)) ?? [];
    if (step === undefined || steps.length >= DEPTH_MAX) return undefined;
    if (index === undefined) steps.push(name ?? (single ?? double ?? "").replaceAll(/\\(.)/g, "$1"));
    else steps.push(Number(index));
    at += step.length;
  }
  return steps;
}

/** `holder` with a value at a place; made where it is missing. */
function withValue(holder: Json, place: readonly (string | number)[], given: Json, depth: number): Json {
  const step = place[depth];
  if (step === undefined) return nextValue(given, holder);
  if (typeof step === "number") {
    const list: Json[] = Array.isArray(holder) ? holder : [];
    // Items come in order: a gap would let a few bytes make a long list.
    if (step <= list.length) list[step] = withValue(list[step], place, given, depth + 1);
    return list;
  }
  const object: JsonObject = isObject(holder) ? holder : {};
  const known = Object.hasOwn(object, step) ? object[step] : undefined;
  setMember(object, step, withValue(known, place, given, depth + 1));
  return object;
}

function nextValue({ stringValue, numberValue, boolValue }: JsonObject, known: Json): Json {
  const text = textOf(stringValue);
  if (text !== undefined) return typeof known === "string" ? known + text : text;
  return numberValue ?? boolValue ?? null;
}
