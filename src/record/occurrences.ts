/** Bytes of the prefix search; only its hits are compared in full, which is much faster. */
const START_BYTES = 24;

/** The positions of one byte sequence in another, in order; occurrences may overlap. */
export function* occurrences(bytes: Buffer, wanted: Buffer): Generator<number, undefined> {
  const start = wanted.length > START_BYTES ? wanted.subarray(0, START_BYTES) : wanted;
  for (let at = bytes.indexOf(start); at >= 0; at = bytes.indexOf(start, at + 1)) {
    const end = at + wanted.length;
    if (end <= bytes.length && bytes.compare(wanted, 0, wanted.length, at, end) === 0) yield at;
  }
}
