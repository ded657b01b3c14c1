import { GatewayError } from "../errors.ts";
import { hashKey, hasScope, KEY_PREFIX, type KeySnapshot, whyUnusable } from "../keys.ts";
import type { GatewayHeader } from "./headers/headers.ts";

/**
 * The keys that are accepted, by their hash. Looking a SHA-256 up tells nothing about the key by its timing: who can
 * choose the hash that is compared knows the key already.
 */
export class KeyRing {
  #byHash: ReadonlyMap<string, KeySnapshot> = new Map();

  replace(keys: readonly KeySnapshot[]): void {
    this.#byHash = new Map(keys.map((key) => [key.hash, key]));
  }

  /** Whether a text is a key of this deployment, or looks like one of Weir's. */
  isServiceKey(text: string): boolean {
    return text.startsWith(KEY_PREFIX) || this.#byHash.has(hashKey(text));
  }

  /**
   * The key that a request brings, or the 401 that it is answered with.
   *
   * @param now - milliseconds since 1970.
   */
  identify(headers: readonly GatewayHeader[], now: number): KeySnapshot | GatewayError {
    const sent = headers.filter(({ setting }) => setting === "auth");
    const value = sent[0]?.value.trim();
    if (value === undefined || value === "" || /^bearer$/i.test(value)) return new GatewayError("missing_gateway_auth");
    const key = /^bearer[ \t]+(\S+)$/i.exec(value)?.[1];
    if (key === undefined || sent.some((other) => other.value.trim() !== value))
      return new GatewayError("invalid_gateway_auth", "Gateway-Auth must be: Bearer <service key>");
    return this.ofHash(hashKey(key), now);
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
}

/** @throws GatewayError `insufficient_scope`. */
export function requireGatewayScope(key: KeySnapshot): void {
  if (!hasScope(key, "gateway"))
    throw new GatewayError("insufficient_scope", 'the key lacks the scope "gateway"; use one that has it');
}
