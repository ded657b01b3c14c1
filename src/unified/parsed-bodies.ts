import { parseRequest } from "../mapping/exact-json.ts";
import { utf8Of } from "../mapping/json.ts";
import type { Json } from "../plugin-host/contract.ts";

/** What a body was parsed to when it was described, until it is written for its first target. */
const parsed = new WeakMap<Uint8Array, Json>();

export function keepParsed(bytes: Uint8Array, body: Json): void {
  parsed.set(bytes, body);
}

/** The JSON of a body. What was kept is given once: a conversation is not held while its provider answers. */
export function takeParsed(bytes: Uint8Array): Json {
  const kept = parsed.get(bytes);
  parsed.delete(bytes);
  return kept ?? parseRequest(utf8Of(bytes));
}

export function forgetParsed(bytes: Uint8Array): void {
  parsed.delete(bytes);
}
