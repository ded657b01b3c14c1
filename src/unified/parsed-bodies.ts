import { parseRequest } from "../mapping/exact-json.ts";
import { utf8Of } from "../mapping/json.ts";
import type { Json } from "../plugin-host/contract.ts";

/** Parsed bodies, kept between a request's description and the writing for its first target. */
const parsed = new WeakMap<Uint8Array, Json>();
/** The last small one: most requests are written in the turn that describes them, and never enter the map. */
let last: Uint8Array | undefined;
let lastBody: Json;
const SMALL_BYTES = 64 * 1_024;

export function keepParsed(bytes: Uint8Array, body: Json): void {
  if (last !== undefined) parsed.set(last, lastBody);
  const isSmall = bytes.byteLength <= SMALL_BYTES;
  last = isSmall ? bytes : undefined;
  lastBody = isSmall ? body : undefined;
  if (!isSmall) parsed.set(bytes, body);
}

/** The JSON of a body. It stays kept if it was. */
export function parsedOf(bytes: Uint8Array): Json {
  return (bytes === last ? lastBody : parsed.get(bytes)) ?? parseRequest(utf8Of(bytes));
}

/** The JSON of a body. A kept value is returned once: a conversation must not stay in memory while its provider responds. */
export function takeParsed(bytes: Uint8Array): Json {
  const body = parsedOf(bytes);
  forgetParsed(bytes);
  return body;
}

export function forgetParsed(bytes: Uint8Array): void {
  if (bytes === last) {
    last = undefined;
    lastBody = undefined;
  } else parsed.delete(bytes);
}

const NUMBERED_BYTES_MAX = 16 * 1_024 * 1_024;
/** Far longer than a request takes from its description to its writing. */
const NUMBERED_MS_MAX = 10_000;

/**
 * Parsed bodies of a thread that gets a new copy of a body with each message: its sender numbers the bodies. A request may
 * end before it is written, so bodies are forgotten after a while, and the oldest beyond 16 MB of bytes at once.
 */
export class NumberedBodies {
  /** In the order in which they were kept. */
  readonly #kept = new Map<number, { readonly body: Json; readonly bytes: number; readonly untilMs: number }>();
  #bytes = 0;

  keep(number: number, body: Json, bytes: number): void {
    this.take(number);
    this.#kept.set(number, { body, bytes, untilMs: performance.now() + NUMBERED_MS_MAX });
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

  /** Forgets bodies that have been kept for ten seconds. Call it every few seconds. @param nowMs - `performance.now()`. */
  forgetOld(nowMs: number): void {
    for (const [oldest, { untilMs }] of this.#kept) {
      if (untilMs > nowMs) break;
      this.take(oldest);
    }
  }
}
