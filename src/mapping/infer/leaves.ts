import type { Json } from "../../plugin-host/contract.ts";
import { isObject } from "../json.ts";
import { below, type Pointer } from "../pointer.ts";

/** One value of a body that is not a list or an object. */
export interface Leaf {
  readonly pointer: Pointer;
  /** The nearest member name on the path to it. */
  readonly name: string;
  /** All member names on the path to it. */
  readonly names: readonly string[];
  readonly value: string | number | boolean;
}

/** Limits for the inspection of one body. */
const LEAVES_MAX = 4_000;
const DEPTH_MAX = 10;
const ELEMENTS_MAX = 100;

/** All leaves of a body, in order; elements of a list share one pointer. */
export function leavesOf(body: Json): Leaf[] {
  const leaves: Leaf[] = [];
  visit(body, "", [], leaves);
  return leaves;
}

function visit(value: Json, pointer: Pointer, names: readonly string[], into: Leaf[]): void {
  if (into.length >= LEAVES_MAX || names.length > DEPTH_MAX || pointer.length > 400) return;
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    into.push({ pointer, name: names.at(-1) ?? "", names, value });
  } else if (Array.isArray(value)) {
    if (pointer.split("/").length > DEPTH_MAX) return;
    for (const each of value.slice(0, ELEMENTS_MAX)) visit(each, `${pointer}/*`, names, into);
  } else if (isObject(value)) {
    for (const [name, each] of Object.entries(value)) visit(each, below(pointer, name), [...names, name], into);
  }
}

/** All objects and lists of a body with their pointers, outermost first. */
export function branchesOf(body: Json, pointer: Pointer = "", depth = 0): { pointer: Pointer; value: Json }[] {
  if (depth > DEPTH_MAX || typeof body !== "object" || body === null) return [];
  const inner = Array.isArray(body)
    ? body.slice(0, ELEMENTS_MAX).flatMap((each) => branchesOf(each, `${pointer}/*`, depth + 1))
    : Object.entries(body).flatMap(([name, each]) => branchesOf(each, below(pointer, name), depth + 1));
  return [{ pointer, value: body }, ...inner];
}

/** Leaves of several bodies by their place; each with its values, body by body. */
export function placesOf(
  bodies: readonly Json[],
): Map<Pointer, { leaf: Leaf; values: (Leaf["value"] | undefined)[][] }> {
  const places = new Map<Pointer, { leaf: Leaf; values: (Leaf["value"] | undefined)[][] }>();
  for (const [index, body] of bodies.entries()) {
    for (const leaf of leavesOf(body)) {
      let place = places.get(leaf.pointer);
      if (place === undefined) {
        place = { leaf, values: bodies.map(() => []) };
        places.set(leaf.pointer, place);
      }
      place.values[index]!.push(leaf.value);
    }
  }
  return places;
}
