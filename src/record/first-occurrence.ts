/** Bytes of the prefix search; only its hits are compared in full, which is much faster. */
const START_BYTES = 24;

/** The first position of one byte sequence in another; -1 if it is not there. */
export function firstOccurrence(bytes: Buffer, wanted: Buffer): number {
  if (wanted.length <= START_BYTES) return bytes.indexOf(wanted);
  const start = wanted.subarray(0, START_BYTES);
  for (let at = bytes.indexOf(start); at >= 0; at = bytes.indexOf(start, at + 1)) {
    const end = at + wanted.length;
    if (end <= bytes.length && bytes.compare(wanted, 0, wanted.length, at, end) === 0) return at;
  }
  return -1;
}
