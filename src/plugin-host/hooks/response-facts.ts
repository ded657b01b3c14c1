import { setImmediate as nextTurn } from "node:timers/promises";
import { MASKED } from "../../masking/mask.ts";
import type { GatewayAnswer, Json } from "../contract.ts";
import type { Note } from "./note.ts";

/**
 * Maximum bytes of JSON for which `onAnswer` sees a body: parsing that much takes about a millisecond of the gateway's
 * thread.
 */
export const RESPONSE_BODY_BYTES_MAX = 256 * 1_024;
/** How long the gateway's thread calls plugins for responses before it returns to traffic. */
const TURN_MS = 2;

/** A response on its way from the recorder's thread to plugins. Plain data, because it is sent between threads. */
export interface ResponseFacts extends Omit<GatewayAnswer, "headers" | "body"> {
  /** Raw pairs as recorded. */
  readonly headers: readonly string[];
  /** JSON text. */
  readonly body: string | undefined;
}

/** The responses as seen by plugins; headers and body are computed when read. */
export function toAnswer(facts: ResponseFacts): GatewayAnswer {
  let headers: Headers | undefined;
  let body: { readonly value: Json } | undefined;
  return Object.defineProperties({ ...facts } as unknown as GatewayAnswer, {
    headers: { enumerable: true, get: () => (headers ??= shownHeaders(facts.headers)) },
    body: {
      enumerable: true,
      get() {
        body ??= { value: facts.body === undefined ? undefined : JSON.parse(facts.body) };
        return body.value;
      },
    },
  });
}

/** Omits masked headers and headers that are invalid in HTTP. */
function shownHeaders(pairs: readonly string[]): Headers {
  const headers = new Headers();
  for (let at = 0; at < pairs.length; at += 2) {
    if (pairs[at + 1] === MASKED) continue;
    try {
      headers.append(pairs[at]!, pairs[at + 1] ?? "");
    } catch {
      // Providers may send invalid headers.
    }
  }
  return headers;
}

/** Shows responses to plugins. */
interface ResponseHooks {
  /** Never throws. */
  onAnswer(answer: GatewayAnswer): Note | undefined | Promise<Note | undefined>;
}

/** Shows responses to the plugins, a few at a time. @returns what they add to each record, in the same order. */
export async function callOnAnswer(
  hooks: ResponseHooks | undefined,
  responses: readonly ResponseFacts[],
): Promise<(Note | null)[]> {
  if (hooks === undefined) return responses.map(() => null);
  const notes: (Note | undefined | Promise<Note | undefined>)[] = [];
  let startedMs = performance.now();
  for (const facts of responses) {
    if (performance.now() - startedMs > TURN_MS) {
      await nextTurn();
      startedMs = performance.now();
    }
    notes.push(hooks.onAnswer(toAnswer(facts)));
  }
  return (await Promise.all(notes)).map((note) => note ?? null);
}
