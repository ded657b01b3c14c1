import { Buffer } from "node:buffer";

const SLOTS_MIN = 1_024;
const BYTES_MIN = 8_192;
/** A larger buffer, which one long text needed, is not kept for the short texts after it. */
const KEPT_BYTES_MAX = 262_144;
const SPACE = 0x20;

/** A token of at most this many ASCII characters is a number of 64 bits, in two halves of 32. */
export const SHORT_BYTES_MAX = 8;
/** Marks a longer token. Short ones never have this bit, because their characters are ASCII. */
const LONG = 1 << 31;
/** Of a slot: the two halves of a short token, or hash and length of a longer one; then its place. */
const SLOT_WORDS = 3;
/** All slots are cleared when places would get larger. */
const PLACE_MAX = 1 << 20;

/**
 * Distinct tokens in order of appearance, as one text separated by spaces.
 *
 * Short tokens, which are most, are compared as numbers and longer ones as bytes: both cost much less than a `Set` of
 * substrings. Reused for one text after another, by one thread.
 */
export class TokenSet {
  #slots = new Int32Array(SLOTS_MIN * SLOT_WORDS);
  #capacity = SLOTS_MIN;
  #bytes = Buffer.allocUnsafe(BYTES_MIN);
  #length = 0;
  #count = 0;
  /** A token's place is its offset in the bytes plus this. Slots with lower places are empty: clearing them for each text costs more. */
  #base = 1;

  /** Adds a token of at most `SHORT_BYTES_MAX` ASCII characters: the last four are in `low`, those before in `high`. */
  addShort(low: number, high: number, length: number): void {
    const slots = this.#slots;
    const mask = this.#capacity - 1;
    const base = this.#base;
    let slot = slotOf(low, high) & mask;
    let at = slot * SLOT_WORDS;
    for (; slots[at + 2]! >= base; at = slot * SLOT_WORDS) {
      if (slots[at] === low && slots[at + 1] === high) return;
      slot = (slot + 1) & mask;
    }
    const bytes = this.#room(length);
    const end = this.#length + length;
    for (let to = end - 1, rest = low; to >= this.#length; to--) {
      bytes[to] = rest;
      rest = end - to === 4 ? high : rest >>> 8;
    }
    this.#put(at, low, high, length);
  }

  /** Adds the bytes from `start` to `end`, which contain no space. */
  addLong(from: Uint8Array, start: number, end: number): void {
    let hash = 0;
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ from[at]!, 0x01000193);
    const length = end - start;
    const slots = this.#slots;
    const mask = this.#capacity - 1;
    const base = this.#base;
    let slot = slotOf(hash, length | LONG) & mask;
    let at = slot * SLOT_WORDS;
    for (; slots[at + 2]! >= base; at = slot * SLOT_WORDS) {
      const isAlike = slots[at] === hash && slots[at + 1] === (length | LONG);
      if (isAlike && this.#isAt(slots[at + 2]! - base, from, start, length)) return;
      slot = (slot + 1) & mask;
    }
    const bytes = this.#room(length);
    for (let to = this.#length, byte = start; byte < end; byte++) bytes[to++] = from[byte]!;
    this.#put(at, hash, length | LONG, length);
  }

  /** Returns all tokens and empties the set. */
  take(): string {
    const text = this.#bytes.toString("utf8", 0, Math.max(0, this.#length - 1));
    if (this.#capacity > SLOTS_MIN) {
      this.#slots = new Int32Array(SLOTS_MIN * SLOT_WORDS);
      this.#capacity = SLOTS_MIN;
    } else if (this.#base + this.#length > PLACE_MAX) {
      this.#slots.fill(0);
      this.#base = 1;
    } else this.#base += this.#length;
    if (this.#bytes.length > KEPT_BYTES_MAX) this.#bytes = Buffer.allocUnsafe(BYTES_MIN);
    this.#length = 0;
    this.#count = 0;
    return text;
  }

  /** Whether the token at this offset equals these bytes, which are as many. */
  #isAt(known: number, from: Uint8Array, start: number, length: number): boolean {
    const bytes = this.#bytes;
    let at = 0;
    while (at < length && bytes[known + at] === from[start + at]) at++;
    return at === length;
  }

  /** The bytes, with room for a token of this length and a space. */
  #room(length: number): Buffer {
    if (this.#length + length < this.#bytes.length) return this.#bytes;
    const grown = Buffer.allocUnsafe(Math.max(this.#length + length + 1, this.#bytes.length * 2));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
    return grown;
  }

  /** Notes the token that was just written, in an empty slot. */
  #put(at: number, first: number, second: number, length: number): void {
    const slots = this.#slots;
    slots[at] = first;
    slots[at + 1] = second;
    slots[at + 2] = this.#base + this.#length;
    this.#length += length;
    this.#bytes[this.#length++] = SPACE;
    if (++this.#count * 2 > this.#capacity) this.#grow();
  }

  #grow(): void {
    const old = this.#slots;
    this.#capacity *= 2;
    this.#slots = new Int32Array(this.#capacity * SLOT_WORDS);
    const mask = this.#capacity - 1;
    for (let from = 0; from < old.length; from += SLOT_WORDS) {
      if (old[from + 2]! < this.#base) continue;
      let slot = slotOf(old[from]!, old[from + 1]!) & mask;
      while (this.#slots[slot * SLOT_WORDS + 2]! >= this.#base) slot = (slot + 1) & mask;
      for (let word = 0; word < SLOT_WORDS; word++) this.#slots[slot * SLOT_WORDS + word] = old[from + word]!;
    }
  }
}

/** A number whose low bits are uniformly distributed. */
function slotOf(first: number, second: number): number {
  const mixed = Math.imul(Math.imul(first, 0x9e3779b1) ^ second, 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}
