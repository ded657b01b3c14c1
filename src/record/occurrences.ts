/** Bytes that are looked for; where they are, the others are compared, which is much faster than to look for all. */
const START_BYTES = 24;

/** Where some bytes stand in others, in order; occurrences may overlap. */
export function* occurrences(bytes: Buffer, wanted: Buffer): Generator<number, undefined> {
  const start = wanted.length > START_BYTES ? wanted.subarray(0, START_BYTES) : wanted;
  for (let at = bytes.indexOf(start); at >= 0; at = bytes.indexOf(start, at + 1)) {
    const end = at + wanted.length;
    if (end <= bytes.length && bytes.compare(wanted, 0, wanted.length, at, end) === 0) yield at;
  }
}
