import { storable } from "../../record/storable.ts";
import type { Value } from "./database.ts";

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
/** SQLite silently turns a longer value into null. */
const BLOB_BYTES_MAX = 1_000_000_000;

/**
 * Converts a value for binding. The driver crashes the process on a boolean, cuts text at U+0000, and stores integers as
 * floating point. So every value passes through here, including those that the types do not allow.
 *
 * Lone surrogates and U+0000 become U+FFFD, integers are bound as integers, infinities as the largest finite numbers.
 *
 * @throws TypeError for objects other than bytes and dates.
 */
export function bind(value: unknown): Value {
  switch (typeof value) {
    case "string":
      return storable(value);
    case "number":
      return bindNumber(value);
    case "bigint":
      return value >= INT64_MIN && value <= INT64_MAX ? value : bindNumber(Number(value));
    case "boolean":
      return value ? 1n : 0n;
    case "undefined":
      return null;
    case "object":
      return bindObject(value);
    default:
      throw new TypeError(`a ${typeof value} cannot be stored`);
  }
}

/** Converts a value for a column with a type: it makes integers of them, so that no BigInt is needed. */
export function bindTyped(value: unknown): Value {
  return typeof value === "number" && Number.isSafeInteger(value) ? value : bind(value);
}

function bindNumber(number: number): Value {
  if (Number.isSafeInteger(number)) return BigInt(number);
  if (Number.isNaN(number)) return null;
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, number));
}

function bindObject(value: object | null): Value {
  if (value === null) return null;
  if (value instanceof Uint8Array) {
    if (value.byteLength > BLOB_BYTES_MAX) throw new TypeError("a value over 1,000,000,000 bytes cannot be stored");
    return value;
  }
  if (value instanceof Date) return bindNumber(value.getTime());
  throw new TypeError("an object cannot be stored: make it JSON text first");
}
