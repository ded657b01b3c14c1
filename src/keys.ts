import { hash, randomBytes } from "node:crypto";
import { type Permission, SCOPES, type Scope } from "./people/permissions.ts";

export { SCOPES, type Scope };

/** A service key as every thread knows it: never the key itself. Times are milliseconds since 1970. */
export interface KeySnapshot {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  /** SHA-256 of the key, hexadecimal. */
  readonly hash: string;
  readonly scopes: readonly Scope[];
  /** What the scopes allow, less what the user that it belongs to may not do. */
  readonly permissions: readonly Permission[];
  /** The user that it belongs to, or null. */
  readonly userId: string | null;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  /** Patterns of the models and routes that it may use, with `*`; `!` before one excludes. Null for all. */
  readonly models: readonly string[] | null;
  /** Patterns of the names of credentials that it may use; an empty list leaves it the client's own key. Null for all. */
  readonly credentials: readonly string[] | null;
}

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** How every key begins that was not chosen by its owner. */
export const KEY_PREFIX = "sk-weir-";

/** A new random key of 256 bits, `sk-weir-<region>-<base62>`. */
export function createKey(region: string): string {
  let number = BigInt(`0x${randomBytes(32).toString("hex")}`);
  let digits = "";
  for (; number > 0n; number /= 62n) digits = BASE62[Number(number % 62n)] + digits;
  return `${KEY_PREFIX}${region}-${digits.padStart(43, "0")}`;
}

export function hashKey(key: string): string {
  return hash("sha256", key, "hex");
}

/** `admin` implies every other scope. */
export function hasScope(key: KeySnapshot, scope: Scope): boolean {
  return key.scopes.includes(scope) || key.scopes.includes("admin");
}

/** Why a key cannot be used: in words, to follow "the key". */
export const UNUSABLE = { unknown: "is not known here", revoked: "was revoked", expired: "has expired" } as const;
export type Unusable = keyof typeof UNUSABLE;

/** Why a key cannot be used now, or undefined where it can. */
export function whyUnusable(key: KeySnapshot, now: number): "revoked" | "expired" | undefined {
  if (key.revokedAt !== null && key.revokedAt <= now) return "revoked";
  if (key.expiresAt !== null && key.expiresAt <= now) return "expired";
  return undefined;
}

/** The key in the value of a header, `Bearer <key>`; undefined where it is anything else. */
export function bearerKey(value: string): string | undefined {
  return /^bearer[ \t]+(\S+)[ \t]*$/i.exec(value)?.[1];
}

/**
 * The keys that are accepted, by their hash. Looking a SHA-256 up tells nothing about the key by its timing: who can
 * choose the hash that is compared knows the key already.
 */
export class KeyRing {
  #byHash: ReadonlyMap<string, KeySnapshot> = new Map();
  /** Hashes of the keys that requests have brought just now, by the key, and of those shortly before. */
  #recent = new Map<string, string>();
  #before = this.#recent;

  replace(keys: readonly KeySnapshot[]): void {
    this.#byHash = new Map(keys.map((key) => [key.hash, key]));
  }

  /** Forgets the text of keys that have not been used since the call before the last: to be called several times a second. */
  forgetTexts(): void {
    this.#before = this.#recent;
    if (this.#recent.size > 0) this.#recent = new Map();
  }

  /** Whether a text is a key of this deployment, or looks like one of Weir's. */
  isServiceKey(text: string): boolean {
    return text.startsWith(KEY_PREFIX) || this.#byHash.has(this.#hashOf(text));
  }

  /** The key with this text, or why it cannot be used. Its text is remembered until `forgetTexts`. */
  ofText(key: string, now: number): KeySnapshot | Unusable {
    return this.ofHash(this.#hashOf(key), now);
  }

  /** The key of this hash, or why it cannot be used. @param now - milliseconds since 1970. */
  ofHash(hash: string, now: number): KeySnapshot | Unusable {
    const known = this.known(hash);
    return known === undefined ? "unknown" : (whyUnusable(known, now) ?? known);
  }

  /** The key of this hash, whether it can be used or not. */
  known(hash: string): KeySnapshot | undefined {
    return this.#byHash.get(hash);
  }

  /** Texts that are no key's are hashed each time, so that clients cannot fill the memory. */
  #hashOf(key: string): string {
    let hash = this.#recent.get(key);
    if (hash !== undefined) return hash;
    hash = this.#before.get(key) ?? hashKey(key);
    if (this.#byHash.has(hash)) this.#recent.set(key, hash);
    return hash;
  }
}
