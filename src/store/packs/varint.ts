/** Writes bytes, and integers from 0 to 2^53 as varints: seven bits a byte, lowest first. */
export class VarintWriter {
  #bytes = new Uint8Array(64);
  #length = 0;

  /** Begins again: its memory is used for one value after another. */
  clear(): void {
    this.#length = 0;
  }

  number(value: number): void {
    let rest = value;
    for (; rest > 0x7f; rest = Math.floor(rest / 128)) this.#byte((rest % 128) | 0x80);
    this.#byte(rest);
  }

  bytes(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
  }

  /** Writes the length in bytes, then the text. */
  text(value: string): void {
    const bytes = Buffer.from(value);
    this.number(bytes.length);
    this.bytes(bytes);
  }

  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  #byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + count));
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}

/** Reads what the writer wrote. @throws RangeError when the bytes end too early or a number is too long. */
export class VarintReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  number(): number {
    let value = 0;
    for (let scale = 1; scale <= 2 ** 49; scale *= 128) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new RangeError("the bytes end within a number");
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    throw new RangeError("a number is too long");
  }

  bytes(count: number): Uint8Array {
    const end = this.#at + count;
    if (end > this.#bytes.length) throw new RangeError("the bytes end too early");
    const found = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return found;
  }

  text(): string {
    return Buffer.from(this.bytes(this.number())).toString("utf8");
  }
}
