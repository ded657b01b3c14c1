import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

/** One key that encrypts secrets of credentials: 32 bytes, and the id that ciphertexts contain. */
export interface EncryptionKey {
  /** First 8 hexadecimal digits of the key's SHA-256. */
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** The member and the credential that a ciphertext belongs to: it cannot be decrypted for another one. */
interface SecretPlace {
  readonly organizationId: string;
  readonly credentialId: string;
  readonly member: string;
}

export const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const FORM = /^v1\.([0-9a-f]{8})\.([A-Za-z0-9_-]{16})\.([A-Za-z0-9_-]{22,})$/;

export function encryptionKey(bytes: Uint8Array): EncryptionKey {
  return { id: createHash("sha256").update(bytes).digest("hex").slice(0, 8), bytes };
}

/** Encrypts with AES-256-GCM under a random nonce. @returns `v1.<key id>.<nonce>.<ciphertext and tag>`, base64url. */
export function encrypt(secret: string, { id, bytes }: EncryptionKey, place: SecretPlace): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", bytes, nonce);
  cipher.setAAD(placeBytes(place));
  const text = Buffer.concat([cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return `v1.${id}.${nonce.toString("base64url")}.${text.toString("base64url")}`;
}

/** @returns the secret, or undefined if none of the keys decrypts it for this place. */
export function decrypt(sealed: string, keys: readonly EncryptionKey[], place: SecretPlace): string | undefined {
  const [, keyId, nonce, text] = FORM.exec(sealed) ?? [];
  const bytes = Buffer.from(text ?? "", "base64url");
  // Ids are short: two keys may share one.
  for (const key of keys.filter(({ id }) => id === keyId)) {
    try {
      const cipher = createDecipheriv("aes-256-gcm", key.bytes, Buffer.from(nonce!, "base64url"));
      cipher.setAAD(placeBytes(place));
      cipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      return Buffer.concat([cipher.update(bytes.subarray(0, -TAG_BYTES)), cipher.final()]).toString("utf8");
    } catch {
      // Wrong tag: another key, another place, or changed bytes.
    }
  }
  return undefined;
}

/** Id of the key that a ciphertext needs; undefined if the text is not a ciphertext. */
export function keyIdOf(sealed: string): string | undefined {
  return FORM.exec(sealed)?.[1];
}

/** JSON, so that no two places have the same bytes. */
function placeBytes({ organizationId, credentialId, member }: SecretPlace): Uint8Array {
  return Buffer.from(JSON.stringify([organizationId, credentialId, member]));
}
