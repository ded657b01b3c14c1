/** Recently read packs, bounded by their total bytes; the least recently read are evicted first. */
export class PackCache {
  readonly #bytesMax: number;
  readonly #packs = new Map<string, Uint8Array>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get(key: string): Uint8Array | undefined {
    const found = this.#packs.get(key);
    if (found === undefined) return undefined;
    this.#packs.delete(key);
    this.#packs.set(key, found);
    return found;
  }

  put(key: string, bytes: Uint8Array): void {
    if (this.#packs.has(key) || bytes.length > this.#bytesMax) return;
    this.#packs.set(key, bytes);
    this.#bytes += bytes.length;
    for (const [oldest, { length }] of this.#packs) {
      if (this.#bytes <= this.#bytesMax) return;
      this.#packs.delete(oldest);
      this.#bytes -= length;
    }
  }
}
