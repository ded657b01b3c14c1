/** Bytes of the prefix search; only its hits are compared in full, which is much faster. */
const START_BYTES = 24;
/** Longer texts get a buffer of their own. */
const SCRATCH_BYTES = 65_536;
const scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
const scratchStart = scratch.subarray(0, START_BYTES);

/** The first position of a text in UTF-8 bytes, and its length there; undefined if it is not there. */
export function firstOccurrence(bytes: Buffer, text: string): { offset: number; length: number } | undefined {
  // Every record passes here, usually with two short texts: a buffer that stays costs less than fresh ones.
  const isShort = text.length * 3 <= SCRATCH_BYTES;
  const wanted = isShort ? scratch : Buffer.from(text);
  const length = isShort ? scratch.write(text) : wanted.length;
  const offset =
    length <= START_BYTES ? bytes.indexOf(wanted.subarray(0, length)) : startingLike(bytes, wanted, length);
  return offset === -1 ? undefined : { offset, length };
}

function startingLike(bytes: Buffer, wanted: Buffer, length: number): number {
  const start = wanted === scratch ? scratchStart : wanted.subarray(0, START_BYTES);
  for (let at = bytes.indexOf(start); at >= 0; at = bytes.indexOf(start, at + 1)) {
    const end = at + length;
    if (end <= bytes.length && bytes.compare(wanted, 0, length, at, end) === 0) return at;
  }
  return -1;
}
