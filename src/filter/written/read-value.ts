import { readIsoTime } from "../../record/iso-time.ts";
import type { FieldKind } from "../fields.ts";

/** A value as written; a quoted one is never `null` and has no unit. */
export interface WrittenValue {
  readonly text: string;
  readonly quoted: boolean;
}

type Value = string | number | boolean;

/** The written form of each kind's values, for messages. */
export const LOOKS_LIKE: Readonly<Record<FieldKind, string>> = {
  text: "a text",
  contains: "a text",
  key: "a name",
  number: "a number such as 400, $0.01 or 2s",
  boolean: "true or false",
  timestamp: "a time such as 2026-01-31 or 2026-01-31T09:30:00Z",
};

const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, yes: true, false: false, no: false };
const MS: Readonly<Record<string, number>> = { "": 1, ms: 1, s: 1_000, m: 60_000, min: 60_000 };

/** @returns undefined if the value is not of this kind. */
export function readValue(kind: FieldKind, { text }: WrittenValue): Value | undefined {
  switch (kind) {
    case "text":
    case "contains":
    case "key":
      return text;
    case "boolean":
      return Object.hasOwn(BOOLEANS, text.toLowerCase()) ? BOOLEANS[text.toLowerCase()] : undefined;
    case "timestamp":
      return readIsoTime(text) === undefined ? undefined : withTime(text);
    case "number":
      return readNumber(text);
  }
}

/** Latencies are in milliseconds, so a time with a unit is converted. */
function readNumber(text: string): number | undefined {
  const [, dollars = "", digits, unit = ""] =
    /^(\$?)([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z]*)$/i.exec(text) ?? [];
  if (digits === undefined || !Object.hasOwn(MS, unit) || (dollars !== "" && unit !== "")) return undefined;
  const factor = MS[unit]!;
  // 15 digits, because 1.001 * 60000 is 60059.99999999999. A number without a unit is exactly as written.
  return factor === 1 ? Number(digits) : Number((Number(digits) * factor).toPrecision(15));
}

/** A date means its first moment. */
function withTime(text: string): string {
  return new Date(readIsoTime(text)!).toISOString();
}
