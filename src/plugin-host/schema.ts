import { type OutputUnit, Validator } from "@cfworker/json-schema";
import type { Json } from "./contract.ts";

/** Why a value does not match a JSON Schema, and where: `path` is empty for the value itself. */
interface Misfit {
  readonly path: string;
  readonly message: string;
}

/** Keywords that only repeat an error further below; after a member of the wrong type they even report valid names. */
const VAGUE: ReadonlySet<string> = new Set(["properties", "items", "additionalProperties", "false"]);

/** The most specific error of an invalid value, or undefined for a valid one. */
export function whyUnfit(schema: Json, value: Json): Misfit | undefined {
  const { valid, errors } = new Validator(schema, "2020-12", false).validate(value);
  if (valid) return undefined;
  const exact = errors.findLast(({ keyword }) => !VAGUE.has(keyword));
  if (exact !== undefined) return explain(exact, schema);
  // Each enclosing object reports the error as well; the member itself is the deepest.
  const places = errors.map(placeOf);
  const deepest = places.reduce((found, place) => (place.length >= found.length ? place : found));
  return { path: deepest, message: "there is no such member" };
}

function explain(unit: OutputUnit, schema: Json): Misfit {
  const place = placeOf(unit);
  const missing = unit.keyword === "required" ? /"(.*)"/.exec(unit.error)?.[1] : undefined;
  if (missing !== undefined) return { path: place === "" ? missing : `${place}.${missing}`, message: "it is missing" };
  const wanted = Object.hasOwn(WANTED, unit.keyword) ? WANTED[unit.keyword] : undefined;
  const value = valueAt(schema, unit.keywordLocation);
  return { path: place, message: wanted === undefined || value === undefined ? unit.error : wanted(value) };
}

/** What a keyword with this value asks for. The validator's own messages speak of instances and schemas. */
const WANTED: Readonly<Record<string, (value: Json) => string>> = {
  type: (types) => `give ${[types].flat().map(typeInWords).join(" or ")}`,
  enum: (values) => `give one of ${values.map((value: Json) => JSON.stringify(value)).join(", ")}`,
  const: (value) => `give ${JSON.stringify(value)}`,
  minimum: (least) => `give at least ${least}`,
  maximum: (most) => `give at most ${most}`,
  minLength: (least) => (least === 1 ? "it is empty" : `give at least ${least} characters`),
  maxLength: (most) => `give at most ${most} characters`,
  minItems: (least) => (least === 1 ? "the list is empty" : `give at least ${least} items`),
  maxItems: (most) => `give at most ${most} items`,
  pattern: (pattern) => `give text that matches ${pattern}`,
};

const TYPES: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

const typeInWords = (type: string): string => TYPES[type] ?? type;

/** The value at a place such as `#/properties/name/minLength`; undefined if a reference is on the way. */
function valueAt(schema: Json, location: string): Json {
  return namesIn(location).reduce((inside: Json, name) => inside?.[name], schema);
}

function placeOf({ instanceLocation }: OutputUnit): string {
  return namesIn(instanceLocation).join(".");
}

/** The names in a JSON pointer such as `#/a/b`. */
function namesIn(pointer: string): string[] {
  const names = pointer.split("/").slice(1);
  return names.map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
}
