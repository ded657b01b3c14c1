import * as zlib from "node:zlib";

const HEAD_BYTES = 10;
/** Checksum and length behind each member's content. */
const TAIL_BYTES = 8;
const HAS_CHECKSUM = 2;
const HAS_EXTRA = 4;
const HAS_NAME = 8;
const HAS_COMMENT = 16;

/** The runtimes return this with the option `info`, which the types lack. */
interface Inflated {
  readonly buffer: Buffer;
  /** `bytesWritten`: how much of the input the content took. */
  readonly engine: { readonly bytesWritten: number };
}

/**
 * Bytes of the whole members that gzip content begins with (RFC 1952); 0 if the first one is damaged, cut off, or has more
 * than `outputMax` bytes of content. Checksums are left to the decoder, which fails on whatever follows the members.
 */
export function wholeMembers(bytes: Buffer, outputMax: number): number {
  let whole = 0;
  let left = outputMax;
  while (left > 0) {
    const content = contentStart(bytes, whole);
    if (content === undefined) break;
    try {
      const inflated = zlib.inflateRawSync(bytes.subarray(content), { maxOutputLength: left, info: true });
      const { buffer, engine } = inflated as unknown as Inflated;
      const end = content + engine.bytesWritten + TAIL_BYTES;
      if (end > bytes.byteLength) break;
      left -= buffer.byteLength;
      whole = end;
    } catch {
      break;
    }
  }
  return whole;
}

/** Where the content of the member at `at` begins; undefined if none begins there. */
function contentStart(bytes: Buffer, at: number): number | undefined {
  if (at + HEAD_BYTES > bytes.byteLength || bytes.readUIntBE(at, 3) !== 0x1f8b08) return undefined;
  const flags = bytes[at + 3]!;
  let start = at + HEAD_BYTES;
  if ((flags & HAS_EXTRA) !== 0) {
    if (start + 2 > bytes.byteLength) return undefined;
    start += 2 + bytes.readUInt16LE(start);
  }
  for (const flag of [HAS_NAME, HAS_COMMENT]) {
    if ((flags & flag) === 0) continue;
    const zero = bytes.indexOf(0, start);
    if (zero === -1) return undefined;
    start = zero + 1;
  }
  return (flags & HAS_CHECKSUM) === 0 ? start : start + 2;
}
