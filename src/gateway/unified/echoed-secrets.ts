import { headerValue, type ProviderHead } from "./provider-head.ts";

/** Shorter ones occur in any text. */
const SECRET_LENGTH_MIN = 8;

/** A provider's error, as it came. */
export interface GatheredError {
  readonly head: ProviderHead;
  readonly chunks: readonly Uint8Array[];
  /** The chunks' bytes, unpacked. */
  readonly bytes: Uint8Array;
}

/**
 * A provider's error without the keys that the gateway sent: some providers repeat them. Asterisks stand in their place, as
 * many as they had bytes, so nothing else changes; where the error was compressed, it is plain.
 */
export function withoutSecrets(error: GatheredError, secrets: readonly string[]): GatheredError {
  const known = secrets.filter(({ length }) => length >= SECRET_LENGTH_MIN);
  const headers = error.head.headers.map((value, at) => (at % 2 === 0 ? value : maskSecrets(value, known)));
  const head = { ...error.head, headers };
  const bytes = Buffer.from(error.bytes);
  let isMasked = false;
  for (const secret of known) {
    const wanted = Buffer.from(secret);
    for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at + wanted.length)) {
      bytes.fill("*", at, at + wanted.length);
      isMasked = true;
    }
  }
  if (!isMasked) return { ...error, head };
  if (headerValue(headers, "content-encoding") === "") return { head, chunks: [bytes], bytes };
  const plain = headers.filter((_, at) => !/^content-(?:encoding|length)$/i.test(headers[at - (at % 2)]!));
  return { head: { ...head, headers: plain }, chunks: [bytes], bytes };
}

/** A text without the secrets in it. */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  let masked = text;
  for (const secret of secrets) {
    if (secret.length >= SECRET_LENGTH_MIN) masked = masked.replaceAll(secret, "*".repeat(Buffer.byteLength(secret)));
  }
  return masked;
}
