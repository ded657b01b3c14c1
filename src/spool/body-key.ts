import { type Cipheriv, createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";

/**
 * The key for bodies that the client asked to omit. They pass through the spool encrypted with a key that exists only in the
 * memory of this run: the recorder reads the usage in them, and files reveal nothing of them.
 *
 * AES-256 in counter mode with a separate key for each body: HKDF-SHA256 of the run's key, the random salt in the exchange's
 * `begin`, its id and the direction. Clients choose ids, so an id alone must never determine a keystream. Each key encrypts
 * one body, so its counter starts at 0. The frames' CRC covers the encrypted bytes.
 */
export class BodyKey {
  /** Passed to the recorder's thread. */
  readonly bytes: Uint8Array;
  /** Identifies the key in `begin` without revealing it. */
  readonly name: string;

  constructor(bytes: Uint8Array = randomBytes(32)) {
    this.bytes = bytes;
    this.name = createHash("sha256").update("weir spool seal").update(bytes).digest("hex").slice(0, 16);
  }

  /** Encrypts one direction of one exchange, chunk after chunk. `salt` must be new for each exchange. */
  cipher(salt: string, id: string, side: EncryptedSide): Cipheriv {
    return createCipheriv("aes-256-ctr", this.#keyOf(salt, id, side), counterAt(0));
  }

  /** Decrypts the part of one direction that begins at its byte `at`. */
  open({ salt, id, side }: Sealed, part: Uint8Array, at: number): Buffer {
    const decipher = createDecipheriv("aes-256-ctr", this.#keyOf(salt, id, side), counterAt(at));
    decipher.update(new Uint8Array(at % BLOCK_BYTES));
    return decipher.update(part);
  }

  #keyOf(salt: string, id: string, side: EncryptedSide): Uint8Array {
    const info = `weir omitted ${side} ${id.toLowerCase()}`;
    return new Uint8Array(hkdfSync("sha256", this.bytes, Buffer.from(salt, "base64"), info, 32));
  }
}

interface Sealed {
  /** As stored in `begin`. */
  readonly salt: string;
  readonly id: string;
  readonly side: EncryptedSide;
}

export type EncryptedSide = "request" | "response" | "provider_response";

/** A new salt for one exchange, as stored in `begin`. */
export function newSalt(): string {
  return randomBytes(16).toString("base64");
}

const BLOCK_BYTES = 16;

/** The counter of the block that holds the body's byte `at`. */
function counterAt(at: number): Uint8Array {
  const counter = Buffer.alloc(BLOCK_BYTES);
  counter.writeBigUInt64BE(BigInt(Math.floor(at / BLOCK_BYTES)), 8);
  return counter;
}
