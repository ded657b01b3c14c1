/** Shorter chunks cost more to refer to than they save; only the last chunk of a body may be shorter. */
const CHUNK_BYTES_MIN = 512;
export const CHUNK_BYTES_MAX = 8_192;
/**
 * Eleven bits: on average a cut every 2,048 bytes after the minimum. The highest bits, because each byte shifts the hash up
 * by one bit.
 */
const CUT_MASK = 0xffe00000 | 0;
/** Bytes that a cut depends on: earlier bytes have left the 32-bit hash. */
const WINDOW_BYTES = 32;

/**
 * A number for each byte value. Any numbers would do, but they must never change, or bodies of two versions would share no
 * chunks.
 */
const GEAR = gearTable();

/**
 * Ends of the chunks of a body; the last one is its length. A cut depends on the 32 bytes before it, so the same text is cut
 * at the same places wherever it appears, and a change moves only nearby cuts.
 */
export function cut(bytes: Uint8Array): number[] {
  const ends: number[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = chunkEnd(bytes, start);
    ends.push(end);
    start = end;
  }
  return ends;
}

/** A range of a body that repeats completely or not at all, such as a file in base64. */
interface Stretch {
  readonly offset: number;
  readonly length: number;
}

const WHOLE_CHUNK_BYTES = 32_768;

/**
 * Cuts bytes that repeat completely or not at all, such as the events of a stream, whose ids are new each time: by length
 * alone.
 */
export function cutEvenly(bytes: Uint8Array): number[] {
  const ends: number[] = [];
  for (let end = 0; end < bytes.length; ) {
    end = Math.min(end + CHUNK_BYTES_MAX, bytes.length);
    ends.push(end);
  }
  return ends;
}

/** Cuts a body by content, and its `stretches`, in order, by length alone. */
export function cutAround(bytes: Uint8Array, stretches: readonly Stretch[] = []): number[] {
  const ends: number[] = [];
  const cutTo = (from: number, to: number) => {
    for (const end of cut(bytes.subarray(from, to))) ends.push(from + end);
  };
  let from = 0;
  for (const { offset, length } of stretches) {
    if (offset < from || offset + length > bytes.length) continue; // overlaps or out of bounds: cut like the rest
    cutTo(from, offset);
    from = offset + length;
    for (let end = offset; end < from; ) {
      end = Math.min(end + WHOLE_CHUNK_BYTES, from);
      ends.push(end);
    }
  }
  cutTo(from, bytes.length);
  return ends;
}

function chunkEnd(bytes: Uint8Array, start: number): number {
  const last = Math.min(start + CHUNK_BYTES_MAX, bytes.length);
  let sum = 0;
  let at = start + CHUNK_BYTES_MIN - WINDOW_BYTES;
  for (const from = Math.min(start + CHUNK_BYTES_MIN, last); at < from; at++)
    sum = ((sum << 1) + GEAR[bytes[at]!]!) | 0;
  for (; at < last; at++) {
    sum = ((sum << 1) + GEAR[bytes[at]!]!) | 0;
    if ((sum & CUT_MASK) === 0) return at + 1;
  }
  return last;
}

/** By xorshift, from a fixed seed. */
function gearTable(): Int32Array {
  const table = new Int32Array(256);
  let state = 0x9e3779b9 | 0;
  for (let byte = 0; byte < 256; byte++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    table[byte] = state;
  }
  return table;
}
