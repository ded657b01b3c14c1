import { parseRequest } from "../mapping/exact-json.ts";
import { utf8Of } from "../mapping/json.ts";
import type { Json } from "../plugin-host/contract.ts";

/** Parsed bodies, kept between a request's description and the writing for its first target. */
const parsed = new WeakMap<Uint8Array, Json>();

export function keepParsed(bytes: Uint8Array, body: Json): void {
  parsed.set(bytes, body);
}

/** The JSON of a body. A kept value is returned once: a conversation must not stay in memory while its provider responds. */
export function takeParsed(bytes: Uint8Array): Json {
  const kept = parsed.get(bytes);
  parsed.delete(bytes);
  return kept ?? parseRequest(utf8Of(bytes));
}

export function forgetParsed(bytes: Uint8Array): void {
  parsed.delete(bytes);
}
