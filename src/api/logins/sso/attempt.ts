import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { Checks } from "../../../sso/client.ts";

/** How long a user may take at the provider. */
export const ATTEMPT_MS = 600_000;
const KEY = /^[A-Za-z0-9_-]{43}$/;
const STATE_CHARS_MAX = 4_000;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** One log-in in progress at a provider. */
export interface Attempt {
  /** Of the provider. */
  readonly name: string;
  /** Where the user goes afterwards: a path of the dashboard. */
  readonly returnTo: string;
  readonly nonce: string;
  readonly verifier: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/**
 * A log-in in progress is not stored here: `state` holds it, encrypted with a key that only the browser's cookie has. A
 * state is therefore valid only in the browser it was made for, and neither the provider nor a log learns the opened page.
 *
 * @param known - the key that the browser has already: log-ins in two of its tabs do not disturb each other.
 */
export function beginAttempt(
  known: string | undefined,
  name: string,
  returnTo: string,
): { readonly key: string; readonly checks: Checks } {
  const key = known !== undefined && KEY.test(known) ? known : randomBytes(32).toString("base64url");
  const [nonce, verifier] = [randomBytes(32).toString("base64url"), randomBytes(32).toString("base64url")];
  const attempt: Attempt = { name, returnTo, nonce, verifier, until: Date.now() + ATTEMPT_MS };
  return { key, checks: { state: encrypted(JSON.stringify(attempt), key), nonce, verifier } };
}

/** The log-in that a provider's response belongs to; undefined if it was not begun in this browser, or too long ago. */
export function attemptOf(key: string | undefined, state: string): Attempt | undefined {
  if (key === undefined || !KEY.test(key) || state.length > STATE_CHARS_MAX) return undefined;
  const text = decrypted(state, key);
  const attempt = text === undefined ? undefined : (JSON.parse(text) as Attempt);
  return attempt !== undefined && attempt.until > Date.now() ? attempt : undefined;
}

function encrypted(text: string, key: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", Buffer.from(key, "base64url"), nonce);
  return Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]).toString("base64url");
}

function decrypted(state: string, key: string): string | undefined {
  const bytes = Buffer.from(state, "base64url");
  if (bytes.length < NONCE_BYTES + TAG_BYTES || bytes.toString("base64url") !== state) return undefined;
  try {
    const cipher = createDecipheriv("aes-256-gcm", Buffer.from(key, "base64url"), bytes.subarray(0, NONCE_BYTES));
    cipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    return Buffer.concat([cipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), cipher.final()]).toString("utf8");
  } catch {
    return undefined; // made for another browser, or changed
  }
}
