import { pairsWhere } from "../../headers/headers.ts";
import { headerValue, type ProviderHead } from "./provider-head.ts";

/** Shorter ones occur in any text. */
const SECRET_LENGTH_MIN = 8;

/** A provider's error, as received. */
interface GatheredError {
  readonly head: ProviderHead;
  readonly chunks: readonly Uint8Array[];
  /** The chunks' bytes, decompressed. */
  readonly bytes: Uint8Array;
}

/**
 * Masks the keys that the gateway sent in a provider's error, because some providers repeat them. Asterisks replace them
 * byte for byte, so nothing else changes; a compressed error becomes uncompressed.
 */
export function withoutSecrets(error: GatheredError, secrets: readonly string[]): GatheredError {
  const known = secrets.filter(({ length }) => length >= SECRET_LENGTH_MIN);
  const headers = maskedValues(error.head.headers, known);
  const head = { ...error.head, headers };
  const bytes = maskedBytes(error.bytes, known);
  if (bytes === error.bytes) return { ...error, head };
  if (headerValue(headers, "content-encoding") === "") return { head, chunks: [bytes], bytes };
  const plain = pairsWhere(headers, (name) => !/^content-(?:encoding|length)$/i.test(name));
  return { head: { ...head, headers: plain }, chunks: [bytes], bytes };
}

/** Raw header pairs with secrets masked in their values; the same array if there are none. */
export function maskedValues(headers: readonly string[], secrets: readonly string[]): readonly string[] {
  let masked: string[] | undefined;
  for (let at = 1; at < headers.length; at += 2) {
    const value = headers[at]!;
    const shown = maskSecrets(value, secrets);
    if (shown === value) continue;
    masked ??= [...headers];
    masked[at] = shown;
  }
  return masked ?? headers;
}

/** Bytes with secrets masked; the same ones if there are none. */
export function maskedBytes(given: Uint8Array, secrets: readonly string[]): Uint8Array {
  const view = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  let masked: Buffer | undefined;
  for (const secret of secrets) {
    if (secret.length < SECRET_LENGTH_MIN) continue;
    const length = Buffer.byteLength(secret);
    for (let at = view.indexOf(secret); at >= 0; at = view.indexOf(secret, at + length)) {
      masked ??= Buffer.from(given);
      masked.fill("*", at, at + length);
    }
  }
  return masked ?? given;
}

/** A text with secrets masked. */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  let masked = text;
  for (const secret of secrets) {
    if (secret.length >= SECRET_LENGTH_MIN && masked.includes(secret))
      masked = masked.replaceAll(secret, "*".repeat(Buffer.byteLength(secret)));
  }
  return masked;
}
