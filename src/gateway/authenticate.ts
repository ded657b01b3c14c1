import { GatewayError } from "../errors.ts";
import { hasScope, type KeyRing, type KeySnapshot, type Unusable } from "../keys.ts";

/**
 * The key in a request, or the 401 error to respond with.
 *
 * @param sent - values of `Gateway-Auth`.
 * @param now - milliseconds since 1970.
 */
export function sentKey(ring: KeyRing, sent: readonly string[], now: number): KeySnapshot | GatewayError {
  const value = sent[0]?.trim() ?? "";
  const found = ring.ofBearer(value, now);
  if (found === undefined && (value === "" || /^bearer$/i.test(value))) return new GatewayError("missing_gateway_auth");
  if (sent.length > 1 && new Set(sent).size > 1)
    return new GatewayError("invalid_gateway_auth", "Gateway-Auth was sent twice with different values");
  if (found === undefined)
    return new GatewayError("invalid_gateway_auth", "Gateway-Auth must be: Bearer <service key>");
  return usable(found);
}

/** The key, or the 401 error if it cannot be used. */
export function usable(found: KeySnapshot | Unusable): KeySnapshot | GatewayError {
  if (found === "unknown") return new GatewayError("invalid_gateway_auth");
  if (found === "expired") return new GatewayError("expired_gateway_auth");
  if (found === "revoked")
    return new GatewayError("invalid_gateway_auth", "the key in Gateway-Auth was revoked; create a new one");
  return found;
}

/** @throws GatewayError `insufficient_scope`. */
export function requireGatewayScope(key: KeySnapshot): void {
  if (!hasScope(key, "gateway"))
    throw new GatewayError("insufficient_scope", 'the key lacks the scope "gateway"; use one that has it');
}
