import { createHmac, randomBytes } from "node:crypto";
import { GatewayError } from "../../errors.ts";

const PREFIX = "whsec_";
const SECRET_BYTES = 32;

/** A new secret that deliveries to one endpoint are signed with. */
export function createSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

/**
 * The key that a secret stands for.
 *
 * @throws GatewayError `invalid_body` where it is none.
 */
export function readSecret(secret: string, path: string): Buffer {
  const text = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : "";
  const key = Buffer.from(text, "base64");
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(text);
  if (isBase64 && key.byteLength >= 24 && key.byteLength <= 64) return key;
  throw new GatewayError("invalid_body", `${path}: a secret is whsec_ and base64 of 24 to 64 bytes`, { path });
}

/**
 * The headers that prove who sent a body and when, as the Standard Webhooks scheme has them.
 *
 * @param timestamp - seconds since 1970.
 */
export function signatureHeaders(secret: string, id: string, timestamp: number, body: string): Record<string, string> {
  const mac = createHmac("sha256", readSecret(secret, "secret")).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": String(timestamp), "webhook-signature": `v1,${mac}` };
}
