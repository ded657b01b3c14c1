import { isUtf8 } from "node:buffer";

/** The JSON around a response's data. */
export interface Envelope {
  readonly data?: unknown;
  readonly [name: string]: unknown;
}

/** An invalid response with status 200: truncated, not JSON, or without an envelope. It is requested again. */
export class UnreadableResponse extends Error {
  override readonly name = "UnreadableResponse";
}

/** Parses a response and checks that it is an envelope without an error in it. @throws UnreadableResponse */
export function readEnvelope(response: Uint8Array): Envelope {
  checkText(response);
  return parseEnvelope(new TextDecoder().decode(response));
}

/** Lenient decoding would change damaged bytes into other text. @throws UnreadableResponse */
export function checkText(response: Uint8Array): void {
  if (!isUtf8(response)) throw new UnreadableResponse("not UTF-8");
}

/** @throws UnreadableResponse */
export function parseEnvelope(text: string): Envelope {
  let envelope: unknown;
  try {
    envelope = JSON.parse(text);
  } catch (cause) {
    throw new UnreadableResponse("not JSON, or cut off", { cause });
  }
  if (!isObject(envelope) || !Object.hasOwn(envelope, "data")) throw new UnreadableResponse("no envelope with `data`");
  return checkError(envelope);
}

/** @throws UnreadableResponse for an envelope with an error. */
export function checkError(envelope: Envelope): Envelope {
  const error = envelope["error"] ?? null;
  if (error === null) return envelope;
  throw new UnreadableResponse(`an error in a response with status 200: ${JSON.stringify(error).slice(0, 80)}`);
}

export function isObject(value: unknown): value is Envelope {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
