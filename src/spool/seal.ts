import { type Cipheriv, createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

/**
 * Bodies that the client asked to leave out pass through the spool only enciphered, with a key that lives in the memory
 * of this run and nowhere else: the recorder can read the usage in them, and no file ever can be read for them.
 *
 * AES-256 in counter mode; the exchange's id is the start of the counter, and the two directions start half a cycle
 * apart, so that no counter is used twice. The frames' crc covers what is written.
 */
export class SealKey {
  /** Handed to the recorder's thread. */
  readonly bytes: Uint8Array;
  /** Says in `begin` which key it is, without telling it. */
  readonly name: string;

  constructor(bytes: Uint8Array = randomBytes(32)) {
    this.bytes = bytes;
    this.name = createHash("sha256").update("weir spool seal").update(bytes).digest("hex").slice(0, 16);
  }

  /** Enciphers one direction of one exchange, chunk after chunk. */
  cipher(id: string, side: SealedSide): Cipheriv {
    return createCipheriv("aes-256-ctr", this.bytes, counter(id, side));
  }

  /** The beginning of one direction, deciphered. */
  open(id: string, side: SealedSide, sealed: Uint8Array): Buffer {
    return createDecipheriv("aes-256-ctr", this.bytes, counter(id, side)).update(sealed);
  }
}

export type SealedSide = "request" | "response";

function counter(id: string, side: SealedSide): Buffer {
  const start = Buffer.from(id.replaceAll("-", ""), "hex");
  if (side === "response") start[0]! ^= 0x80;
  return start;
}
