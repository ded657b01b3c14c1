import { Buffer } from "node:buffer";

const SLOTS_MIN = 1_024;
const BYTES_MIN = 8_192;
/** A larger buffer, which one long text needed, is not kept for the short texts after it. */
const KEPT_BYTES_MAX = 262_144;
const SPACE = 0x20;

/** The start value of `hashed`. */
export const HASH_START = 0x811c9dc5 | 0;
/** FNV-1a, a byte at a time. */
export const hashed = (hash: number, byte: number): number => Math.imul(hash ^ byte, 0x01000193);

/**
 * Distinct tokens in order of appearance, as one text separated by spaces.
 *
 * Tokens are compared and copied as bytes, which costs a third of a `Set` of substrings. Reused for one text after another,
 * by one thread.
 */
export class TokenSet {
  /** The offset of each token in the bytes, plus 1, by its hash; 0 is an empty slot. */
  #slots = new Int32Array(SLOTS_MIN);
  #hashes = new Int32Array(SLOTS_MIN);
  #bytes = Buffer.allocUnsafe(BYTES_MIN);
  #length = 0;
  #count = 0;

  /** Adds the bytes from `start` to `end`, which contain no space; `hash` is their `hashed` value. */
  add(from: Uint8Array, start: number, end: number, hash: number): void {
    const slots = this.#slots;
    const hashes = this.#hashes;
    const mask = slots.length - 1;
    // The low bits of this hash alone are not uniform.
    let slot = (hash ^ (hash >>> 15)) & mask;
    for (let known = slots[slot]!; known !== 0; known = slots[slot]!) {
      if (hashes[slot] === hash && this.#isAt(known - 1, from, start, end)) return;
      slot = (slot + 1) & mask;
    }
    const length = end - start;
    const bytes = this.#length + length + 1 > this.#bytes.length ? this.#reserve(length + 1) : this.#bytes;
    slots[slot] = this.#length + 1;
    hashes[slot] = hash;
    let to = this.#length;
    for (let at = start; at < end; at++) bytes[to++] = from[at]!;
    bytes[to++] = SPACE;
    this.#length = to;
    if (++this.#count * 2 > slots.length) this.#grow();
  }

  /** Whether the token at that offset equals this one. */
  #isAt(known: number, from: Uint8Array, start: number, end: number): boolean {
    const bytes = this.#bytes;
    let at = start;
    while (at < end && bytes[known + at - start] === from[at]) at++;
    return at === end && bytes[known + end - start] === SPACE;
  }

  /** Returns all tokens and empties the set. */
  take(): string {
    const text = this.#bytes.toString("utf8", 0, Math.max(0, this.#length - 1));
    if (this.#slots.length > SLOTS_MIN) {
      this.#slots = new Int32Array(SLOTS_MIN);
      this.#hashes = new Int32Array(SLOTS_MIN);
    } else this.#slots.fill(0);
    if (this.#bytes.length > KEPT_BYTES_MAX) this.#bytes = Buffer.allocUnsafe(BYTES_MIN);
    this.#length = 0;
    this.#count = 0;
    return text;
  }

  #reserve(more: number): Buffer {
    const grown = Buffer.allocUnsafe(Math.max(this.#length + more, this.#bytes.length * 2));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
    return grown;
  }

  #grow(): void {
    const [slots, hashes] = [this.#slots, this.#hashes];
    this.#slots = new Int32Array(slots.length * 2);
    this.#hashes = new Int32Array(slots.length * 2);
    const mask = this.#slots.length - 1;
    for (let old = 0; old < slots.length; old++) {
      if (slots[old] === 0) continue;
      const hash = hashes[old]!;
      let slot = (hash ^ (hash >>> 15)) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = slots[old]!;
      this.#hashes[slot] = hash;
    }
  }
}
