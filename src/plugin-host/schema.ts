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
  if (exact !== undefined) return explain(exact);
  // Each enclosing object reports the error as well; the member itself is the deepest.
  const places = errors.map(placeOf);
  const deepest = places.reduce((found, place) => (place.length >= found.length ? place : found));
  return { path: deepest, message: "there is no such member" };
}

function explain(unit: OutputUnit): Misfit {
  const place = placeOf(unit);
  const missing = unit.keyword === "required" ? /"(.*)"/.exec(unit.error)?.[1] : undefined;
  if (missing === undefined) return { path: place, message: unit.error };
  return { path: place === "" ? missing : `${place}.${missing}`, message: "is missing" };
}

function placeOf({ instanceLocation }: OutputUnit): string {
  return instanceLocation.replace(/^#\/?/, "").replaceAll("/", ".");
}
