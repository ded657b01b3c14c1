import * as fs from "node:fs";
import { CHUNK_BYTES_MAX, FRAME_HEAD_BYTES, frameBytes, frameKind, isIntact } from "./codec.ts";
import { FRAME, type FrameKind } from "./frame.ts";

const WINDOW_BYTES = 1024 * 1024;
/** Maximum bytes over which one search computes CRCs: a body made of frame-like heads must not block the reader. */
const CHECKED_BYTES_MAX = 256 * 1024 * 1024;
const KIND_MAX = Math.max(...Object.values(FRAME));
/** Kinds whose payload is raw body bytes; all others have a JSON object. */
const CHUNKS: ReadonlySet<FrameKind> = new Set([
  FRAME.requestChunk,
  FRAME.responseChunk,
  FRAME.providerRequestChunk,
  FRAME.providerResponseChunk,
]);
const OPENING_BRACE = 0x7b;

/** Where reading resumes after damage. */
interface Resumed {
  /** The offset of the next good frame, or the file's end. */
  readonly offset: number;
  /** The damaged frame with its length corrected, if only that was wrong. */
  readonly repaired?: Buffer;
}

/**
 * Searches for the next good frame after a damaged one at `offset`.
 *
 * First by the damaged frame's own length. Then with each bit of that length flipped, so that a single flipped bit never
 * makes the search look inside a body, whose bytes a client chose. Only then byte by byte.
 *
 * @param fd - a segment of `size` bytes.
 * @returns undefined if no good frame follows.
 */
export function resumeBehind(fd: number, offset: number, size: number): Resumed | undefined {
  const head = readAt(fd, offset, Math.min(FRAME_HEAD_BYTES, size - offset));
  if (head.byteLength === FRAME_HEAD_BYTES) {
    const next = offset + frameBytes(head, 0, head.byteLength);
    if (next > offset && next < size && frameAt(fd, next, size) !== undefined) return { offset: next };
    for (let bit = 0; bit < 32; bit++) {
      const other = Buffer.from(head);
      other.writeUInt32LE((head.readUInt32LE(0) ^ (1 << bit)) >>> 0, 0);
      const length = frameBytes(other, 0, other.byteLength);
      if (length < FRAME_HEAD_BYTES || offset + length > size) continue;
      const frame = readAt(fd, offset, length);
      frame.set(other.subarray(0, 4), 0);
      if (isIntact(frame, 0, length)) return { offset: offset + length, repaired: frame };
    }
  }
  const found = scan(fd, offset + 1, size);
  return found === undefined ? undefined : { offset: found };
}

function scan(fd: number, from: number, size: number): number | undefined {
  let budget = CHECKED_BYTES_MAX;
  const window = Buffer.allocUnsafe(WINDOW_BYTES + FRAME_HEAD_BYTES);
  for (let start = from; start + FRAME_HEAD_BYTES <= size; start += WINDOW_BYTES) {
    const limit = fs.readSync(fd, window, 0, window.byteLength, start);
    const ends = Math.min(WINDOW_BYTES, limit - FRAME_HEAD_BYTES + 1);
    for (let at = 0; at < ends; at++) {
      // Check the kind first: text, the usual content of damaged parts, rarely has such low bytes.
      if (frameKind(window, at) > KIND_MAX) continue;
      const length = frameBytes(window, at, limit);
      if (length < FRAME_HEAD_BYTES || start + at + length > size) continue;
      if (!isLikely(window, at, limit, length)) continue;
      budget -= length;
      if (budget < 0) return undefined;
      if (frameAt(fd, start + at, size) !== undefined) return start + at;
    }
  }
  return undefined;
}

/** Cheap tests that avoid nearly every CRC. */
function isLikely(window: Buffer, at: number, limit: number, length: number): boolean {
  if (CHUNKS.has(frameKind(window, at))) return length <= FRAME_HEAD_BYTES + CHUNK_BYTES_MAX;
  const payload = at + FRAME_HEAD_BYTES;
  return payload >= limit || window[payload] === OPENING_BRACE;
}

/** The good frame at `offset`, or undefined. */
export function frameAt(fd: number, offset: number, size: number): Buffer | undefined {
  const head = readAt(fd, offset, Math.min(4, size - offset));
  const length = frameBytes(head, 0, head.byteLength);
  if (length < FRAME_HEAD_BYTES || offset + length > size) return undefined;
  const frame = readAt(fd, offset, length);
  return frame.byteLength === length && isIntact(frame, 0, length) ? frame : undefined;
}

function readAt(fd: number, offset: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(Math.max(0, bytes));
  let filled = 0;
  while (filled < buffer.byteLength) {
    const count = fs.readSync(fd, buffer, filled, buffer.byteLength - filled, offset + filled);
    if (count === 0) break;
    filled += count;
  }
  return buffer.subarray(0, filled);
}
