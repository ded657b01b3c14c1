import { createHmac, randomBytes } from "node:crypto";
import { GatewayError } from "../../errors.ts";

const PREFIX = "whsec_";
const SECRET_BYTES = 32;

/** A new signing secret for deliveries to one endpoint. */
export function createSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

/**
 * Decodes the key in a secret.
 *
 * @throws GatewayError `invalid_body` for an invalid secret.
 */
export function readSecret(secret: string, path: string): Buffer {
  const text = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : "";
  const key = Buffer.from(text, "base64");
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(text);
  if (isBase64 && key.byteLength >= 24 && key.byteLength <= 64) return key;
  throw new GatewayError("invalid_body", `${path}: a secret is whsec_ and base64 of 24 to 64 bytes`, { path });
}

/**
 * The headers that prove who sent a body and when, per the Standard Webhooks specification.
 *
 * @param timestamp - seconds since 1970.
 */
export function signatureHeaders(secret: string, id: string, timestamp: number, body: string): Record<string, string> {
  const mac = createHmac("sha256", readSecret(secret, "secret")).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": String(timestamp), "webhook-signature": `v1,${mac}` };
}
