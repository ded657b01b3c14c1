import type { Json } from "../plugin-host/contract.ts";
import { isObject, type JsonObject } from "./json.ts";

/**
 * A place in a JSON body: a JSON Pointer (RFC 6901) in which `*` matches every element of a list. The empty pointer
 * is the body itself. `/turns/0/text` is the text of the first turn.
 */
export type Pointer = string;

/** Maximum values per pointer. */
const VALUES_MAX = 10_000;

const parsed = new Map<Pointer, readonly string[]>();

function stepsOf(pointer: Pointer): readonly string[] {
  let steps = parsed.get(pointer);
  if (steps === undefined) {
    if (parsed.size >= 10_000) parsed.clear();
    steps = pointer === "" ? [] : pointer.slice(1).split("/").map(unescaped);
    parsed.set(pointer, steps);
  }
  return steps;
}

const unescaped = (name: string) => name.replaceAll("~1", "/").replaceAll("~0", "~");

/** Appends one step to a pointer, for a name from outside. */
export const below = (pointer: Pointer, name: string): Pointer =>
  `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;

/** Every non-null value at the pointer, in order. Never throws. */
export function valuesAt(body: Json, pointer: Pointer | undefined): Json[] {
  if (pointer === undefined) return [];
  let values: Json[] = [body];
  for (const step of stepsOf(pointer)) {
    const next: Json[] = [];
    for (const value of values) {
      if (step === "*") {
        if (Array.isArray(value)) for (const each of value.slice(0, VALUES_MAX - next.length)) next.push(each);
      } else if (value !== null && typeof value === "object" && Object.hasOwn(value, step)) next.push(value[step]);
    }
    values = next;
  }
  return values.filter((value) => value !== undefined && value !== null);
}

export const valueAt = (body: Json, pointer: Pointer | undefined): Json => valuesAt(body, pointer)[0];

/** Sets a value at the pointer; a list on the path is entered at its first element. */
export function setAt(body: JsonObject, pointer: Pointer, value: Json): void {
  const steps = stepsOf(pointer);
  const last = steps.at(-1);
  if (last === undefined || steps.includes("__proto__")) return;
  let at: Json = body;
  for (const [index, step] of steps.slice(0, -1).entries()) {
    const name = step === "*" ? 0 : step;
    const next = at[name];
    if (!isObject(next) && !Array.isArray(next)) at[name] = isIndex(steps[index + 1]!) ? [] : {};
    at = at[name];
  }
  at[last === "*" ? 0 : last] = value;
}

/** Removes a member if it exists. */
export function removeAt(body: JsonObject, pointer: Pointer): void {
  const end = pointer.lastIndexOf("/");
  if (end === -1) return;
  for (const holder of valuesAt(body, pointer.slice(0, end))) {
    if (isObject(holder)) delete holder[unescaped(pointer.slice(end + 1))];
  }
}

const isIndex = (step: string) => step === "*" || /^\d{1,4}$/.test(step);
