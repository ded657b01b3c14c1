/** Pieces up to here are put together. */
const SMALL_BYTES = 1_024;
const GATHERED_BYTES_MAX = 16 * 1_024;

/**
 * Small chunks of a body that came in one go, put together. A piece costs those who take it the same however small it
 * is: who sent a megabyte in chunks of one byte would keep everybody else waiting.
 */
export class SmallPieces {
  #bytes: Buffer | undefined;
  #length = 0;

  get waiting(): boolean {
    return this.#bytes !== undefined;
  }

  /** @returns false where the piece is not small, or there is no room before `take`. */
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

/** Where a chunk's line is its size and nothing else, as nearly all are: reads it without making a text of it. */
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
