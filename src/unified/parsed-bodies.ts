import { parseRequest } from "../mapping/exact-json.ts";
import { utf8Of } from "../mapping/json.ts";
import type { Json } from "../plugin-host/contract.ts";

/** Parsed bodies, kept between a request's description and the writing for its first target. */
const parsed = new WeakMap<Uint8Array, Json>();

export function keepParsed(bytes: Uint8Array, body: Json): void {
  parsed.set(bytes, body);
}

/** The JSON of a body. It stays kept if it was. */
export function parsedOf(bytes: Uint8Array): Json {
  return parsed.get(bytes) ?? parseRequest(utf8Of(bytes));
}

/** The JSON of a body. A kept value is returned once: a conversation must not stay in memory while its provider responds. */
export function takeParsed(bytes: Uint8Array): Json {
  const body = parsedOf(bytes);
  parsed.delete(bytes);
  return body;
}

export function forgetParsed(bytes: Uint8Array): void {
  parsed.delete(bytes);
}

const NUMBERED_BYTES_MAX = 16 * 1_024 * 1_024;

/**
 * The same for a thread that gets a new copy of a body with each message: its sender numbers the bodies. The oldest are forgotten
 * beyond 16 MB of bytes, because a request may end before it is written.
 */
export class NumberedBodies {
  readonly #kept = new Map<number, { readonly body: Json; readonly bytes: number }>();
  #bytes = 0;

  keep(number: number, body: Json, bytes: number): void {
    this.#kept.set(number, { body, bytes });
    this.#bytes += bytes;
    for (const [oldest] of this.#kept) {
      if (this.#bytes <= NUMBERED_BYTES_MAX) break;
      this.take(oldest);
    }
  }

  take(number: number): Json {
    const found = this.#kept.get(number);
    this.#kept.delete(number);
    this.#bytes -= found?.bytes ?? 0;
    return found?.body;
  }
}
