import { type OutputUnit, Validator } from "@cfworker/json-schema";
import { ValueErrorType } from "@sinclair/typebox/errors";
import { wantedInWords, wantedType } from "../checked.ts";
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
  const parent = valueAt(schema, unit.keywordLocation.slice(0, unit.keywordLocation.lastIndexOf("/")));
  return { path: place, message: parent === undefined ? unit.error : wantedOf(unit, parent) };
}

/** What a schema's keyword asks for. The validator's own messages speak of instances and schemas. */
function wantedOf({ keyword, error: message }: OutputUnit, schema: Json): string {
  if (keyword === "type") return wantedType(schema.type);
  if (keyword === "enum") return `give one of ${schema.enum.map((each: Json) => JSON.stringify(each)).join(", ")}`;
  const type = Object.hasOwn(ERRORS, keyword) ? ERRORS[keyword] : undefined;
  return type === undefined ? message : wantedInWords({ type, schema, message });
}

const ERRORS: Readonly<Record<string, ValueErrorType>> = {
  const: ValueErrorType.Literal,
  minimum: ValueErrorType.NumberMinimum,
  maximum: ValueErrorType.NumberMaximum,
  exclusiveMinimum: ValueErrorType.NumberExclusiveMinimum,
  exclusiveMaximum: ValueErrorType.NumberExclusiveMaximum,
  multipleOf: ValueErrorType.NumberMultipleOf,
  minLength: ValueErrorType.StringMinLength,
  maxLength: ValueErrorType.StringMaxLength,
  minItems: ValueErrorType.ArrayMinItems,
  maxItems: ValueErrorType.ArrayMaxItems,
  pattern: ValueErrorType.StringPattern,
};

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
