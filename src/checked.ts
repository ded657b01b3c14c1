import type { Static, TSchema } from "@sinclair/typebox";
import { type ValueError, ValueErrorType } from "@sinclair/typebox/errors";
import { Value } from "@sinclair/typebox/value";
import { counted } from "./counted.ts";
import { GatewayError } from "./errors.ts";
import { nearestName } from "./nearest.ts";

/**
 * Returns `value` if it fits the schema.
 *
 * @param at - the value's path, such as `targets.0`; empty for a complete body.
 * @throws GatewayError that names the path of the first wrong member. A schema's `expects` is used as the message.
 */
export function checked<T extends TSchema>(schema: T, value: unknown, at = ""): Static<T> {
  const found = Value.Errors(schema, value).First();
  if (found === undefined) return value as Static<T>;
  const error = innermost(found);
  const names = error.path
    .split("/")
    .slice(1)
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
  const path = [at, ...names].filter((name) => name !== "").join(".");
  const wanted = wantedOf(error, names.at(-1));
  throw new GatewayError("invalid_body", path === "" ? wanted : `${path}: ${wanted}`, { path });
}

/** For a union: the error of the variant that the value comes closest to. */
function innermost(error: ValueError): ValueError {
  if (error.type !== ValueErrorType.Union || error.schema["expects"] !== undefined) return error;
  const variants = error.errors.map((each) => [...each]).filter(([first]) => first !== undefined);
  const deeper = variants.find(([first]) => first!.path !== error.path);
  return deeper === undefined ? error : innermost(deeper[0]!);
}

function wantedOf(error: ValueError, name: string | undefined): string {
  if (error.type === ValueErrorType.ObjectAdditionalProperties && name !== undefined) {
    const known = Object.keys(parentMembers(error));
    const near = nearestName(name, known);
    return `there is no such member${near === undefined ? "" : `; did you mean "${near}"?`}`;
  }
  if (error.type === ValueErrorType.ObjectRequiredProperty) return "it is missing";
  return wantedInWords(error);
}

/** What a schema's error asks for, as our messages say it. A schema's `expects` has precedence. */
export function wantedInWords({ type, schema, message }: Pick<ValueError, "type" | "schema" | "message">): string {
  return String(schema["expects"] ?? WANTED[type]?.(schema) ?? message);
}

/** In place of TypeBox's messages ("Expected required property"), which do not say how to fix the value. */
const WANTED: Partial<Record<ValueErrorType, (schema: TSchema) => string | undefined>> = {
  [ValueErrorType.ObjectRequiredProperty]: () => "it is missing",
  [ValueErrorType.Object]: () => wantedType("object"),
  [ValueErrorType.Array]: () => wantedType("array"),
  [ValueErrorType.String]: () => wantedType("string"),
  [ValueErrorType.Boolean]: () => wantedType("boolean"),
  [ValueErrorType.Number]: () => wantedType("number"),
  [ValueErrorType.Integer]: () => wantedType("integer"),
  [ValueErrorType.Null]: () => wantedType("null"),
  [ValueErrorType.NumberMinimum]: ({ minimum }) => `give at least ${minimum}`,
  [ValueErrorType.NumberMaximum]: ({ maximum }) => `give at most ${maximum}`,
  [ValueErrorType.IntegerMinimum]: ({ minimum }) => `give at least ${minimum}`,
  [ValueErrorType.IntegerMaximum]: ({ maximum }) => `give at most ${maximum}`,
  [ValueErrorType.NumberExclusiveMinimum]: ({ exclusiveMinimum }) => `give more than ${exclusiveMinimum}`,
  [ValueErrorType.NumberExclusiveMaximum]: ({ exclusiveMaximum }) => `give less than ${exclusiveMaximum}`,
  [ValueErrorType.NumberMultipleOf]: ({ multipleOf }) =>
    multipleOf === 1 ? wantedType("integer") : `give a multiple of ${multipleOf}`,
  [ValueErrorType.StringPattern]: ({ pattern }) => `give text that matches ${pattern}`,
  [ValueErrorType.StringMinLength]: ({ minLength }) => `give at least ${counted(minLength, "character")}`,
  [ValueErrorType.StringMaxLength]: ({ maxLength }) => `give at most ${counted(maxLength, "character")}`,
  [ValueErrorType.ArrayMinItems]: ({ minItems }) => `give at least ${counted(minItems, "entry", "entries")}`,
  [ValueErrorType.ArrayMaxItems]: ({ maxItems }) => `give at most ${counted(maxItems, "entry", "entries")}`,
  [ValueErrorType.Literal]: (schema) => `give ${JSON.stringify(schema["const"])}`,
  [ValueErrorType.Union]: (schema) => oneOf((schema["anyOf"] ?? []) as readonly TSchema[]),
};

/** For a union of fixed values: the list of them; else the types. */
function oneOf(variants: readonly TSchema[]): string | undefined {
  if (variants.length === 0) return undefined;
  if (!variants.every((variant) => "const" in variant))
    return wantedType(variants.map((variant) => JSON.stringify(variant["const"]) ?? String(variant["type"])));
  return `give one of ${variants.map((variant) => JSON.stringify(variant["const"])).join(", ")}`;
}

const TYPES: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

/** @param types - as JSON Schema names them. */
export function wantedType(types: string | readonly string[]): string {
  return `give ${[...new Set([types].flat())].map((type) => TYPES[type] ?? type).join(" or ")}`;
}

function parentMembers({ schema }: ValueError): Readonly<Record<string, unknown>> {
  return (schema["properties"] as Record<string, unknown> | undefined) ?? {};
}
