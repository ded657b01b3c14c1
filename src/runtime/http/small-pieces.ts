/** Pieces up to this size are joined. */
const SMALL_BYTES = 1_024;
const GATHERED_BYTES_MAX = 16 * 1_024;

/**
 * Joins small chunks of a body that arrived together. A piece costs its receiver the same however small it is: a megabyte in
 * chunks of one byte would delay all other requests.
 */
export class SmallPieces {
  #bytes: Buffer | undefined;
  #length = 0;

  get waiting(): boolean {
    return this.#bytes !== undefined;
  }

  /** @returns false if the piece is not small, or there is no room until `take`. */
  add(source: Buffer, from: number, to: number): boolean {
    if (to - from > SMALL_BYTES) return false;
    this.#bytes ??= Buffer.allocUnsafe(Math.min(GATHERED_BYTES_MAX, source.byteLength - from));
    if (this.#length + to - from > this.#bytes.byteLength) return false;
    source.copy(this.#bytes, this.#length, from, to);
    this.#length += to - from;
    return true;
  }

  take(): Uint8Array | undefined {
    const bytes = this.#bytes?.subarray(0, this.#length);
    this.clear();
    return bytes;
  }

  clear(): void {
    this.#bytes = undefined;
    this.#length = 0;
  }
}

/** Reads a chunk line that is only a size, as nearly all are, without creating a string. */
export function plainChunkSize(bytes: Buffer, at: number): { size: number; end: number } | undefined {
  let size = 0;
  let end = at;
  for (; end - at < 12; end++) {
    const digit = hexDigit(bytes[end]);
    if (digit < 0) break;
    size = size * 16 + digit;
  }
  return end > at && bytes[end] === 13 && bytes[end + 1] === 10 ? { size, end } : undefined;
}

function hexDigit(code: number | undefined): number {
  if (code === undefined || code < 48) return -1;
  if (code < 58) return code - 48;
  const lower = code | 32;
  return lower > 96 && lower < 103 ? lower - 87 : -1;
}
