import { hash, randomBytes } from "node:crypto";
import { type Permission, SCOPES, type Scope } from "./people/permissions.ts";

export { SCOPES, type Scope };

/** A service key as threads hold it, without the key itself. Times are milliseconds since 1970. */
export interface KeySnapshot {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  /** SHA-256 of the key, hexadecimal. */
  readonly hash: string;
  readonly scopes: readonly Scope[];
  /** What the scopes allow, minus what the key's user may not do. */
  readonly permissions: readonly Permission[];
  /** The user that the key belongs to, or null. */
  readonly userId: string | null;
  /** What that user may do now, beyond the key's scopes too; null if the key belongs to no user. */
  readonly userPermissions: readonly Permission[] | null;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  /** Patterns of the models and routes that the key may use, with `*`; a leading `!` excludes. Null for all. */
  readonly models: readonly string[] | null;
  /**
   * Name patterns of the credentials that the key may use; with an empty list only the client's own provider keys work. Null
   * for all.
   */
  readonly credentials: readonly string[] | null;
}

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Prefix of every key that was generated rather than chosen by its owner. */
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

/** Why a key cannot be used, phrased to follow "the key". */
export const UNUSABLE = { unknown: "is unknown", revoked: "was revoked", expired: "has expired" } as const;
export type Unusable = keyof typeof UNUSABLE;

/** Why a key cannot be used now, or undefined if it can. */
export function whyUnusable(key: KeySnapshot, now: number): "revoked" | "expired" | undefined {
  if (key.revokedAt !== null && key.revokedAt <= now) return "revoked";
  if (key.expiresAt !== null && key.expiresAt <= now) return "expired";
  return undefined;
}

/** The key in a header value `Bearer <key>`; undefined for any other value. */
export function bearerKey(value: string): string | undefined {
  return /^bearer[ \t]+(\S+)[ \t]*$/i.exec(value)?.[1];
}

/**
 * The accepted keys, by hash. Looking up a SHA-256 leaks nothing about the key through timing: a caller who can choose the
 * compared hash already knows the key.
 */
export class KeyRing {
  #byHash: ReadonlyMap<string, KeySnapshot> = new Map();
  /** Hashes of recently received keys, by the key's text and by the header value that holds it. */
  #ofKeys = new RecentHashes();
  #ofValues = new RecentHashes();

  replace(keys: readonly KeySnapshot[]): void {
    this.#byHash = new Map(keys.map((key) => [key.hash, key]));
    // The text of a removed key does not stay, however often it is sent.
    this.#ofKeys = new RecentHashes();
    this.#ofValues = new RecentHashes();
  }

  /** Forgets the text of keys not used since the call before the last. Call it several times a second. */
  forgetTexts(): void {
    this.#ofKeys.forget();
    this.#ofValues.forget();
  }

  /** Whether a text is a key of this deployment, usable or not. */
  has(text: string): boolean {
    return this.#byHash.has(this.#hashOf(text));
  }

  /** The key with this text, or why it cannot be used. The text is remembered until `forgetTexts`. */
  ofText(key: string, now: number): KeySnapshot | Unusable {
    return this.ofHash(this.#hashOf(key), now);
  }

  /** The key in a header value `Bearer <key>`, or why it cannot be used; undefined for any other value. */
  ofBearer(value: string, now: number): KeySnapshot | Unusable | undefined {
    let hash = this.#ofValues.get(value);
    if (hash === undefined) {
      const key = bearerKey(value);
      if (key === undefined) return undefined;
      hash = this.#hashOf(key);
      if (this.#byHash.has(hash)) this.#ofValues.set(value, hash);
    }
    return this.ofHash(hash, now);
  }

  /** The key with this hash, or why it cannot be used. @param now - milliseconds since 1970. */
  ofHash(hash: string, now: number): KeySnapshot | Unusable {
    const known = this.known(hash);
    return known === undefined ? "unknown" : (whyUnusable(known, now) ?? known);
  }

  /** The key with this hash, usable or not. */
  known(hash: string): KeySnapshot | undefined {
    return this.#byHash.get(hash);
  }

  /** Unknown texts are hashed each time, so that clients cannot fill the memory. */
  #hashOf(key: string): string {
    let hash = this.#ofKeys.get(key);
    if (hash !== undefined) return hash;
    hash = hashKey(key);
    if (this.#byHash.has(hash)) this.#ofKeys.set(key, hash);
    return hash;
  }
}

/** Hashes by text. A text stays while it is used: until the second `forget` after its last use. */
class RecentHashes {
  #used = new Map<string, string>();
  #before = this.#used;

  get(text: string): string | undefined {
    const hash = this.#used.get(text);
    if (hash !== undefined || this.#before.size === 0) return hash;
    const before = this.#before.get(text);
    if (before !== undefined) this.#used.set(text, before);
    return before;
  }

  set(text: string, hash: string): void {
    this.#used.set(text, hash);
  }

  forget(): void {
    this.#before = this.#used;
    if (this.#used.size > 0) this.#used = new Map();
  }
}
