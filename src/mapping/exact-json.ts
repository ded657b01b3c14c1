import { isTooDeep } from "../json-text/nesting.ts";
import type { Json } from "../plugin-host/contract.ts";
import { isObject, type JsonObject, numberOf } from "./json.ts";

/**
 * JSON that keeps the digits of integers beyond 2^53, such as ids in a call's arguments. Such a number is read as a raw
 * value, which `JSON.stringify` writes unchanged. A copy for another thread would lose it, so the value stays in its thread.
 */

/** Not in the language's types yet. */
interface RawJson {
  rawJSON(text: string): Json;
  isRawJSON(value: Json): value is { readonly rawJSON: string };
  parse(text: string, reviver: (name: string, value: Json, context: { readonly source: string }) => Json): Json;
}
const RAW = JSON as unknown as RawJson;

/** Also matches digits within a text: a simpler expression is four times as fast. */
const LONG_NUMBER = /\d{16}/;

const keepDigits = (_name: string, value: Json, { source }: { readonly source: string }): Json =>
  typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? RAW.rawJSON(source) : value;

/** @throws SyntaxError if it is not JSON. */
const parseLong = (text: string): Json => RAW.parse(text, keepDigits);
const parse = (text: string): Json => (LONG_NUMBER.test(text) ? parseLong(text) : JSON.parse(text));

/** The value of a response or an event; undefined if it is not JSON. */
export function parseExact(text: string): Json {
  if (isTooDeep(text)) return undefined;
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** Members of requests with data that is passed on: calls, schemas, metadata. Of the settings only a seed is long. */
const DATA: ReadonlySet<string> = new Set([
  ...["messages", "input", "contents", "tools", "functions", "response_format", "text", "output_config"],
  ...["metadata", "seed"],
]);

/** Parses a request: numbers outside of its data are settings, and stay numbers. @throws SyntaxError if it is not JSON. */
export function parseRequest(text: string): Json {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text);
  const body = parseLong(text);
  if (!isObject(body)) return body;
  for (const name of Object.keys(body)) if (!DATA.has(name)) body[name] = inNumbers(body[name]);
  return body;
}

/** A number that is only written again, perhaps with more digits than a number has. */
export const digitsOf = (value: Json): number | undefined =>
  RAW.isRawJSON(value) ? (value as unknown as number) : numberOf(value);

/** A copy in which every number is one. */
export function inNumbers(value: Json): Json {
  if (RAW.isRawJSON(value)) return Number(value.rawJSON);
  if (Array.isArray(value)) return value.map(inNumbers);
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, own]) => [name, inNumbers(own)]))
    : value;
}

/** A call's arguments as an object; text that is not an object becomes `{ "_raw": text }`. */
export function argumentsObject(text: string): JsonObject {
  if (text === "") return {};
  const parsed = parseExact(text);
  return isObject(parsed) && !RAW.isRawJSON(parsed) ? parsed : { _raw: text };
}
