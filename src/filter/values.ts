import { GatewayError } from "../errors.ts";
import { readIsoTime } from "../record/iso-time.ts";
import { storable } from "../record/storable.ts";
import type { FieldKind } from "./fields.ts";
import { NULL_ONLY, NULL_OPERATORS, PATTERN_OPERATORS } from "./operators.ts";
import { hint, quote } from "./spelling.ts";
import { BODY_PATTERN_CHARS_MAX, PATTERN_CHARS_MAX } from "./tree.ts";

/** The expected value of each kind, for messages. */
const WANTED: Readonly<Record<FieldKind, string>> = {
  text: "a string",
  contains: "a string",
  key: "a string",
  number: "a number",
  boolean: "true or false",
  timestamp: "an ISO 8601 time such as 2026-01-31T09:30:00.000Z",
};

interface Operand {
  readonly kind: FieldKind;
  readonly operator: string;
  /** Path of the value; called only if it is invalid, because paths in deep trees are long. */
  readonly path: () => string;
}

/**
 * Checks a condition's value against the kind of its field.
 *
 * @returns the value to compare with: a timestamp becomes milliseconds since 1970, and text loses what cannot be stored.
 * @throws GatewayError `filter_invalid`
 */
export function checkValue({ kind, operator, path }: Operand, value: unknown): string | number | boolean | null {
  if (value === null && NULL_OPERATORS.has(operator)) return null;
  const wrong = (takes: string) => new GatewayError("filter_invalid", `"${operator}" takes ${takes}`, { path: path() });
  if (NULL_ONLY[kind] === operator)
    throw wrong(`null alone here, not ${describe(value)}; ${hint(operator, ["equals"])}`);
  const checked = read(kind, value);
  if (checked === undefined) {
    const orNull = NULL_OPERATORS.has(operator) ? " or null" : "";
    throw wrong(`${WANTED[kind]}${orNull}, not ${describe(value)}`);
  }
  const charsMax = kind === "contains" ? BODY_PATTERN_CHARS_MAX : PATTERN_CHARS_MAX;
  if (PATTERN_OPERATORS.has(operator) && String(checked).length > charsMax) {
    throw wrong(`at most ${charsMax} characters`);
  }
  return checked;
}

function read(kind: FieldKind, value: unknown): string | number | boolean | undefined {
  switch (kind) {
    case "text":
    case "contains":
    case "key":
      return typeof value === "string" ? storable(value) : undefined;
    case "number":
      return typeof value === "number" && !Number.isNaN(value) ? value : undefined;
    case "boolean":
      return typeof value === "boolean" ? value : undefined;
    case "timestamp":
      return typeof value === "string" ? readIsoTime(value) : undefined;
  }
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
