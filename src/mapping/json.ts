import { isTooDeep } from "../json-text/nesting.ts";
import type { Json } from "../plugin-host/contract.ts";

/** Probes for JSON from outside: each returns the value if it has the expected type, otherwise `undefined`; none throws. */

export type JsonObject = Record<string, Json>;

export const isObject = (value: Json): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const objectOf = (value: Json): JsonObject | undefined => (isObject(value) ? value : undefined);

export const listOf = (value: Json): readonly Json[] => (Array.isArray(value) ? value : []);

export const isText = (value: Json): value is string => typeof value === "string";

export const textOf = (value: Json): string | undefined => (isText(value) ? value : undefined);

/** Text, or the spelling of a number or boolean. */
export const scalarText = (value: Json): string | undefined =>
  typeof value === "number" || typeof value === "boolean" ? `${value}` : textOf(value);

/** Non-empty text: an empty one counts as missing. */
export const filledText = (value: Json): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

export const numberOf = (value: Json): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;

export const booleanOf = (value: Json): boolean | undefined => (typeof value === "boolean" ? value : undefined);

/**
 * Maximum plausible count of anything in one exchange. No response has as many tokens; a higher count is an error or
 * malicious, and would dominate all sums.
 */
export const COUNT_MAX = 1_000_000_000_000;

/** A count of tokens, calls or searches; headers send digits. A value that cannot be a count is the same as none. */
export function countOf(value: Json): number | undefined {
  const number = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (!Number.isInteger(number) || number < 0 || number > COUNT_MAX) return undefined;
  return number === 0 ? 0 : number; // not -0
}

/** The first present count. */
export function firstCount(...values: Json[]): number | undefined {
  for (const value of values) {
    const count = countOf(value);
    if (count !== undefined) return count;
  }
  return undefined;
}

/** The sum of the present counts; `undefined` if there is none. */
export const sumOfPresent = (...counts: (number | undefined)[]): number | undefined => sumOfList(counts);

/** The sum of the present counts of a list; it may be too long for function arguments. `undefined` if there is none. */
export function sumOfList(counts: readonly (number | undefined)[]): number | undefined {
  let sum: number | undefined;
  for (const count of counts) if (count !== undefined) sum = (sum ?? 0) + count;
  return sum;
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The members that are not `undefined`, of an object literal: this is called several times per record. */
export function pickDefined<T extends object>(members: T): Defined<T> {
  const picked: JsonObject = {};
  for (const name in members) if (members[name] !== undefined) picked[name] = members[name];
  return picked as Defined<T>;
}

/** Sets a member whose name came from outside. `__proto__` would change the object's prototype and is skipped. */
export function setMember(target: JsonObject, name: string, value: Json): void {
  if (name !== "__proto__") target[name] = value;
}

/** Sets a member of any name, also `__proto__`, as JSON's parser does. Only for objects that are written as JSON, not copied. */
export function defineMember(target: JsonObject, name: string, value: Json): void {
  if (name !== "__proto__") target[name] = value;
  else Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}

/**
 * Copies all members of `source` to `target`, also null. Use this to fold streams, not `{ ...target, ...source }`: a full
 * copy for each piece takes quadratic time.
 */
export function assignMembers(target: JsonObject, source: JsonObject): JsonObject {
  for (const [name, value] of Object.entries(source)) setMember(target, name, value);
  return target;
}

const NONE: ReadonlySet<string> = new Set();

/** Copies the non-null members of `source` to `target`: in a stream the last value wins. */
export function mergeMembers(target: JsonObject, source: Json, except: ReadonlySet<string> = NONE): JsonObject {
  if (!isObject(source)) return target;
  // Not `Object.entries`: this runs for every event of a stream, and most members change nothing.
  for (const name in source) {
    const value = source[name];
    if (except.has(name) || (value === null && Object.hasOwn(target, name))) continue;
    setMember(target, name, value);
  }
  return target;
}

/** Bytes decoded as UTF-8, the encoding of JSON. */
export function utf8Of(bytes: Uint8Array): string {
  const view = bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return view.toString("utf8");
}

/** The value of JSON text, or `undefined` if it is not JSON. */
export function parseJson(text: string): Json {
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A value as JSON text; empty if it is nested too deeply to print, which happens only in hostile bodies. */
export function jsonText(value: Json): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "";
  }
}
