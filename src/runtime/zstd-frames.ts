const FRAME = 0xfd2fb528;
/** Skippable frames begin with this magic number, except for its last four bits. */
const SKIPPED = 0x184d2a50;
const BLOCK_HEAD_BYTES = 3;
const CHECKSUM_BYTES = 4;
/** An RLE block contains a single byte, whatever size it declares. */
const REPEATED = 1;
const DICTIONARY_BYTES = [0, 1, 2, 4] as const;
const SIZE_BYTES = [0, 2, 4, 8] as const;

/**
 * The frames of zstd content, without skippable ones; undefined if the content does not end at the end of a frame (RFC 8878
 * §3.1). Decoders with a limit do not report this: they return the available part of a truncated body. Checks block headers
 * only; the decoder finds damage inside.
 */
export function wholeFrames(bytes: Buffer): Buffer[] | undefined {
  const frames: Buffer[] = [];
  let at = 0;
  while (at < bytes.byteLength) {
    const next = frameEnd(bytes, at);
    if (next === undefined || next > bytes.byteLength) return undefined;
    if (bytes.readUInt32LE(at) === FRAME) frames.push(bytes.subarray(at, next));
    at = next;
  }
  return frames;
}

/** Where the frame at `at` ends, which may be beyond the available bytes. */
function frameEnd(bytes: Buffer, at: number): number | undefined {
  if (at + 8 > bytes.byteLength) return undefined;
  const magic = bytes.readUInt32LE(at);
  if ((magic & ~0xf) >>> 0 === SKIPPED) return at + 8 + bytes.readUInt32LE(at + 4);
  if (magic !== FRAME) return undefined;
  const descriptor = bytes[at + 4]!;
  const isSingle = (descriptor & 0x20) !== 0;
  const sizeBytes = SIZE_BYTES[descriptor >> 6]! || Number(isSingle);
  let block = at + 5 + Number(!isSingle) + DICTIONARY_BYTES[descriptor & 3]! + sizeBytes;
  for (let isLast = false; !isLast; ) {
    if (block + BLOCK_HEAD_BYTES > bytes.byteLength) return undefined;
    const head = bytes.readUIntLE(block, BLOCK_HEAD_BYTES);
    isLast = (head & 1) === 1;
    block += BLOCK_HEAD_BYTES + (((head >> 1) & 3) === REPEATED ? 1 : head >> 3);
  }
  return block + ((descriptor & 4) === 0 ? 0 : CHECKSUM_BYTES);
}
