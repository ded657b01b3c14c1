import { GatewayError } from "../errors.ts";
import { hashKey, hasScope, KEY_PREFIX, type KeySnapshot, whyUnusable } from "../keys.ts";

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

  /**
   * The key that a request brings, or the 401 that it is answered with.
   *
   * @param sent - values of `Gateway-Auth`.
   * @param now - milliseconds since 1970.
   */
  identify(sent: readonly string[], now: number): KeySnapshot | GatewayError {
    const value = sent[0]?.trim();
    if (value === undefined || value === "" || /^bearer$/i.test(value)) return new GatewayError("missing_gateway_auth");
    const key = /^bearer[ \t]+(\S+)$/i.exec(value)?.[1];
    if (key === undefined || (sent.length > 1 && sent.some((other) => other !== sent[0])))
      return new GatewayError("invalid_gateway_auth", "Gateway-Auth must be: Bearer <service key>");
    return this.ofKey(key, now);
  }

  /** The key with this text, or the 401 where it cannot be used. @param now - milliseconds since 1970. */
  ofKey(key: string, now: number): KeySnapshot | GatewayError {
    return this.ofHash(this.#hashOf(key), now);
  }

  /** The key of this hash, or the 401 where it cannot be used. @param now - milliseconds since 1970. */
  ofHash(hash: string, now: number): KeySnapshot | GatewayError {
    const known = this.#byHash.get(hash);
    if (known === undefined) return new GatewayError("invalid_gateway_auth");
    const why = whyUnusable(known, now);
    if (why === "expired") return new GatewayError("expired_gateway_auth");
    if (why === "revoked")
      return new GatewayError("invalid_gateway_auth", "the key in Gateway-Auth was revoked; create a new one");
    return known;
  }

  /** Texts that are no key's are hashed each time, so that nobody fills the memory. */
  #hashOf(key: string): string {
    let hash = this.#recent.get(key);
    if (hash !== undefined) return hash;
    hash = this.#before.get(key) ?? hashKey(key);
    if (this.#byHash.has(hash)) this.#recent.set(key, hash);
    return hash;
  }
}

/** @throws GatewayError `insufficient_scope`. */
export function requireGatewayScope(key: KeySnapshot): void {
  if (!hasScope(key, "gateway"))
    throw new GatewayError("insufficient_scope", 'the key lacks the scope "gateway"; use one that has it');
}
