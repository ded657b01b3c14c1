import { type Cipheriv, createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";

/**
 * Bodies that the client asked to leave out pass through the spool encrypted, with a key that lives in the memory of
 * this run and nowhere else: the recorder reads the usage in them, and no file can be read for them.
 *
 * AES-256 in counter mode with a key of its own for each body: HKDF-SHA256 of the run's key, the random salt in the
 * exchange's `begin`, its id and the direction. Clients choose ids, so an id alone must never decide a keystream. Each key
 * encrypts one body, so its counter starts at 0. The frames' crc covers what is written.
 */
export class BodyKey {
  /** Handed to the recorder's thread. */
  readonly bytes: Uint8Array;
  /** Names the key in `begin` without revealing it. */
  readonly name: string;

  constructor(bytes: Uint8Array = randomBytes(32)) {
    this.bytes = bytes;
    this.name = createHash("sha256").update("weir spool seal").update(bytes).digest("hex").slice(0, 16);
  }

  /** Encrypts one direction of one exchange, chunk after chunk. `salt` must be new for each exchange. */
  cipher(salt: string, id: string, side: EncryptedSide): Cipheriv {
    return createCipheriv("aes-256-ctr", this.#keyOf(salt, id, side), COUNTER);
  }

  /** The beginning of one direction, decrypted. */
  open(salt: string, id: string, side: EncryptedSide, sealed: Uint8Array): Buffer {
    return createDecipheriv("aes-256-ctr", this.#keyOf(salt, id, side), COUNTER).update(sealed);
  }

  #keyOf(salt: string, id: string, side: EncryptedSide): Uint8Array {
    const info = `weir omitted ${side} ${id.toLowerCase()}`;
    return new Uint8Array(hkdfSync("sha256", this.bytes, Buffer.from(salt, "base64"), info, 32));
  }
}

export type EncryptedSide = "request" | "response" | "provider_response";

/** For the salt of one exchange, as `begin` keeps it. */
export function newSalt(): string {
  return randomBytes(16).toString("base64");
}

const COUNTER = new Uint8Array(16);
