/** The location of a chunk's bytes. */
export interface ChunkPlace {
  readonly pack: number;
  readonly offset: number;
}

const KEY_WORDS = 4;
/** Key, pack in two words, offset. */
const SLOT_WORDS = KEY_WORDS + 3;
const SLOTS_MIN = 4_096;
const TWO_32 = 2 ** 32;

/**
 * Remembers chunks by 16 bytes of their hash. It uses typed arrays: 28 bytes a slot, and at least two fifths of the slots are
 * in use. A map of objects would take 119 bytes a chunk.
 *
 * Chunks of packs below `floor` are forgotten when room is needed.
 */
export class ChunkMemory {
  #slots = new Uint32Array(SLOTS_MIN * SLOT_WORDS);
  #capacity = SLOTS_MIN;
  #used = 0;

  /** @param key - only the first 16 bytes are used; they must be uniformly distributed. */
  get(key: Uint32Array): ChunkPlace | undefined {
    const at = this.#find(key);
    return this.#pack(at) === 0 ? undefined : this.#place(at);
  }

  /** @param floor - chunks of packs before this one may be forgotten. */
  put(key: Uint32Array, { pack, offset }: ChunkPlace, floor: number): void {
    if (this.#used * 10 >= this.#capacity * 7) this.#rebuild((place) => place.pack >= floor);
    const at = this.#find(key);
    if (this.#pack(at) === 0) this.#used++;
    this.#slots.set(key.subarray(0, KEY_WORDS), at);
    this.#slots[at + KEY_WORDS] = pack % TWO_32;
    this.#slots[at + KEY_WORDS + 1] = Math.floor(pack / TWO_32);
    this.#slots[at + KEY_WORDS + 2] = offset;
  }

  /** Forgets the chunks of these packs. */
  forget(packs: ReadonlySet<number>): void {
    this.#rebuild(({ pack }) => !packs.has(pack));
  }

  clear(): void {
    this.#slots = new Uint32Array(SLOTS_MIN * SLOT_WORDS);
    this.#capacity = SLOTS_MIN;
    this.#used = 0;
  }

  /** The slot of this key, or the empty slot where it belongs. Pack numbers start at 1: an empty slot has pack 0. */
  #find(key: Uint32Array): number {
    const slots = this.#slots;
    let slot = key[0]! & (this.#capacity - 1);
    for (;;) {
      const at = slot * SLOT_WORDS;
      if (this.#pack(at) === 0) return at;
      if (slots[at] === key[0] && slots[at + 1] === key[1] && slots[at + 2] === key[2] && slots[at + 3] === key[3]) {
        return at;
      }
      slot = (slot + 1) & (this.#capacity - 1);
    }
  }

  #pack(at: number): number {
    return this.#slots[at + KEY_WORDS]! + this.#slots[at + KEY_WORDS + 1]! * TWO_32;
  }

  #place(at: number): ChunkPlace {
    return { pack: this.#pack(at), offset: this.#slots[at + KEY_WORDS + 2]! };
  }

  /** Keeps some chunks, in a table of the size they need. */
  #rebuild(keeps: (place: ChunkPlace) => boolean): void {
    const [old, oldCapacity] = [this.#slots, this.#capacity];
    const kept: number[] = [];
    for (let at = 0; at < oldCapacity * SLOT_WORDS; at += SLOT_WORDS) {
      if (this.#pack(at) !== 0 && keeps(this.#place(at))) kept.push(at);
    }
    let capacity = SLOTS_MIN;
    while (kept.length * 2 >= capacity) capacity *= 2;
    this.#slots = new Uint32Array(capacity * SLOT_WORDS);
    this.#capacity = capacity;
    this.#used = kept.length;
    for (const at of kept) {
      const slot = old.subarray(at, at + SLOT_WORDS);
      this.#slots.set(slot, this.#find(slot));
    }
  }
}
