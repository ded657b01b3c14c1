import { GatewayError } from "../errors.ts";
import { hashKey, hasScope, type KeySnapshot, whyUnusable } from "../keys.ts";
import type { GatewayHeader } from "./headers.ts";

/**
 * The keys that are accepted, by their hash. Looking a SHA-256 up tells nothing about the key by its timing: who can
 * choose the hash that is compared knows the key already.
 */
export class KeyRing {
  #byHash: ReadonlyMap<string, KeySnapshot> = new Map();

  replace(keys: readonly KeySnapshot[]): void {
    this.#byHash = new Map(keys.map((key) => [key.hash, key]));
  }

  /**
   * @param now - milliseconds since 1970.
   * @throws GatewayError, a 401.
   */
  authenticate(headers: readonly GatewayHeader[], now: number): KeySnapshot {
    const sent = headers.filter(({ setting }) => setting === "auth");
    const value = sent[0]?.value.trim();
    if (value === undefined || value === "" || /^bearer$/i.test(value)) throw new GatewayError("missing_gateway_auth");
    const key = /^bearer[ \t]+(\S+)$/i.exec(value)?.[1];
    if (key === undefined || sent.some((other) => other.value.trim() !== value))
      throw new GatewayError("invalid_gateway_auth", "Gateway-Auth must be: Bearer <service key>");
    const known = this.#byHash.get(hashKey(key));
    if (known === undefined) throw new GatewayError("invalid_gateway_auth");
    if (whyUnusable(known, now) !== undefined) throw new GatewayError("expired_gateway_auth");
    return known;
  }
}

/** @throws GatewayError `insufficient_scope`. */
export function requireGatewayScope(key: KeySnapshot): void {
  if (!hasScope(key, "gateway"))
    throw new GatewayError("insufficient_scope", 'the key lacks the scope "gateway"; use one that has it');
}
