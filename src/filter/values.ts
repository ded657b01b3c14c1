import { GatewayError } from "../errors.ts";
import { storable } from "../record/storable.ts";
import type { Kind } from "./fields.ts";
import { NULL_OPERATORS, PATTERN_OPERATORS } from "./operators.ts";
import { PATTERN_CHARS_MAX } from "./tree.ts";

/** What a value of each kind is, for messages. */
const WANTED: Readonly<Record<Kind, string>> = {
  text: "a string",
  contains: "a string",
  key: "a string",
  number: "a number",
  boolean: "true or false",
  timestamp: "an ISO 8601 time such as 2026-01-31T09:30:00.000Z",
};

interface Asked {
  readonly kind: Kind;
  readonly operator: string;
  /** Path of the value; called only when it is wrong, because paths in deep trees are long. */
  readonly path: () => string;
}

/**
 * Checks a condition's value against the kind of its field.
 *
 * @returns the value as it is compared: a timestamp becomes milliseconds since 1970, text loses what cannot be stored.
 * @throws GatewayError `filter_invalid`
 */
export function checkValue({ kind, operator, path }: Asked, value: unknown): string | number | boolean | null {
  if (value === null && NULL_OPERATORS.has(operator)) return null;
  const checked = read(kind, value);
  if (checked === undefined) {
    const orNull = NULL_OPERATORS.has(operator) ? " or null" : "";
    throw new GatewayError("filter_invalid", `"${operator}" takes ${WANTED[kind]}${orNull}, not ${describe(value)}`, {
      path: path(),
    });
  }
  if (kind === "text" && PATTERN_OPERATORS.has(operator) && String(checked).length > PATTERN_CHARS_MAX) {
    throw new GatewayError("filter_invalid", `"${operator}" takes at most ${PATTERN_CHARS_MAX} characters`, {
      path: path(),
    });
  }
  return checked;
}

function read(kind: Kind, value: unknown): string | number | boolean | undefined {
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
      return typeof value === "string" ? parseTimestamp(value) : undefined;
  }
}

const TIMESTAMP =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?([Zz]|[+-]\d{2}(?::?\d{2})?)?)?$/;

/**
 * Milliseconds since 1970 of an ISO 8601 time, or undefined. Without an offset it is UTC; a bare day is its first
 * moment. What lies between two milliseconds is halfway: a fraction of its own would be lost in a number so large.
 */
function parseTimestamp(text: string): number | undefined {
  const match = TIMESTAMP.exec(text);
  if (match === null) return undefined;
  const [, day, minutes = "00:00", seconds = "00", fraction = "", offset = "Z"] = match;
  const whole = Date.parse(`${day}T${minutes}:${seconds}.000Z`);
  const shift = offsetMinutes(offset);
  if (Number.isNaN(whole) || shift === undefined || !isDay(day!)) return undefined;
  const between = /[1-9]/.test(fraction.slice(3)) ? 0.5 : 0;
  return whole - shift * 60_000 + Number(fraction.slice(0, 3).padEnd(3, "0")) + between;
}

/** The parser lets a 31st of April become the 1st of May. */
function isDay(day: string): boolean {
  const found = new Date(`${day}T00:00:00.000Z`);
  return !Number.isNaN(found.getTime()) && found.toISOString().startsWith(day);
}

function offsetMinutes(offset: string): number | undefined {
  if (offset === "Z" || offset === "z") return 0;
  const hours = Number(offset.slice(1, 3));
  const minutes = Number(offset.slice(3).replace(":", "") || "0");
  if (hours > 23 || minutes > 59) return undefined;
  return (offset.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
