import { crc32 } from "node:zlib";
import type { FrameKind } from "./frame.ts";

/** `length u32 | crc32 u32 | kind u8 | id 16 bytes`, then the payload. */
export const FRAME_HEAD_BYTES = 25;
/** `length` and the CRC cover the bytes from here on. */
const COVERED_FROM = 8;
const COVERED_HEAD_BYTES = FRAME_HEAD_BYTES - COVERED_FROM;

/** A frame that claims more is damaged. */
export const PAYLOAD_BYTES_MAX = 64 * 1024 * 1024;

/** Longer body chunks become several frames. */
export const CHUNK_BYTES_MAX = 1024 * 1024;

/** The id of frames that belong to no exchange. */
export const NO_ID = "00000000-0000-0000-0000-000000000000";

const NIBBLE = new Uint8Array(128);
for (let digit = 0; digit < 16; digit++) {
  const text = digit.toString(16);
  NIBBLE[text.charCodeAt(0)] = digit;
  NIBBLE[text.toUpperCase().charCodeAt(0)] = digit;
}

/** CRC-32 by byte, for the 17 bytes before a payload: a view of them, or a call for them, would cost more than their CRC. */
const CRCS = new Int32Array(256).map((_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 0 ? crc >>> 1 : (crc >>> 1) ^ 0xedb88320;
  return crc;
});

/**
 * Writes a frame. The buffer must have room for it: a text takes up to three bytes for each UTF-16 unit.
 *
 * @param id - a UUID in its 36-character form, any case.
 * @param payload - a text is written as UTF-8.
 * @returns where the next frame begins.
 */
// biome-ignore lint/complexity/useMaxParams: called for every frame; an object for its place would be garbage of the hot path
export function putFrame(
  buffer: Buffer,
  at: number,
  kind: FrameKind,
  id: string,
  payload: Uint8Array | string,
): number {
  const from = at + FRAME_HEAD_BYTES;
  let end = from;
  if (typeof payload === "string") end += buffer.write(payload, from, "utf8");
  else {
    buffer.set(payload, from);
    end += payload.byteLength;
  }
  buffer.writeUInt32LE(end - at - COVERED_FROM, at);
  buffer[at + COVERED_FROM] = kind;
  writeId(buffer, at + 9, id);
  buffer.writeUInt32LE(crc32(payload, headCrc(buffer, at)), at + 4);
  return end;
}

/** The CRC of kind and id. */
function headCrc(buffer: Buffer, at: number): number {
  let crc = -1;
  for (let byte = at + COVERED_FROM; byte < at + FRAME_HEAD_BYTES; byte++)
    crc = CRCS[(crc ^ buffer[byte]!) & 0xff]! ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** One frame in its own buffer, for frames that are too rare or too large for the writer's buffer. */
export function encodeFrame(kind: FrameKind, id: string, payload: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(FRAME_HEAD_BYTES + payload.byteLength);
  putFrame(frame, 0, kind, id, payload);
  return frame;
}

/**
 * Length of the frame at `at`, including its head, from its length field alone.
 *
 * @returns 0 if fewer than four bytes are available, -1 if no frame has that length.
 */
export function frameBytes(buffer: Buffer, at: number, limit: number): number {
  if (at + 4 > limit) return 0;
  const covered = buffer.readUInt32LE(at);
  if (covered < COVERED_HEAD_BYTES || covered > COVERED_HEAD_BYTES + PAYLOAD_BYTES_MAX) return -1;
  return COVERED_FROM + covered;
}

/** Whether the CRC of the frame in `[at, end)` matches. */
export function isIntact(buffer: Buffer, at: number, end: number): boolean {
  return crc32(buffer.subarray(at + COVERED_FROM, end)) === buffer.readUInt32LE(at + 4);
}

export function frameKind(buffer: Buffer, at: number): FrameKind {
  return buffer[at + COVERED_FROM] as FrameKind;
}

/** The 16 bytes of the id as a Latin-1 string: the cheapest key for a Map. */
export function frameKey(buffer: Buffer, at: number): string {
  return buffer.toString("latin1", at + 9, at + FRAME_HEAD_BYTES);
}

/** Whether the frame at `at` has this id. @param id - 16 bytes. */
export function hasId(buffer: Buffer, at: number, id: Uint8Array): boolean {
  for (let byte = 0; byte < 16; byte++) if (buffer[at + 9 + byte] !== id[byte]) return false;
  return true;
}

const HEX = Buffer.from("0123456789abcdef");
/** The id being read; its dashes stay. */
const UUID = Buffer.from(NO_ID);

/** The id as a UUID in lower case. */
export function frameId(buffer: Buffer, at: number): string {
  let digit = 0;
  for (let byte = at + 9; byte < at + FRAME_HEAD_BYTES; byte++) {
    if (digit === 8 || digit === 13 || digit === 18 || digit === 23) digit++;
    UUID[digit++] = HEX[buffer[byte]! >> 4]!;
    UUID[digit++] = HEX[buffer[byte]! & 0xf]!;
  }
  return UUID.toString("latin1");
}

/** The key that `frameKey` returns for this UUID. */
export function keyOfId(id: string): string {
  const bytes = Buffer.allocUnsafe(16);
  writeId(bytes, 0, id);
  return bytes.toString("latin1");
}

function writeId(buffer: Buffer, at: number, id: string): void {
  let digit = 0;
  for (let byte = 0; byte < 16; byte++) {
    // Dashes precede the digits 8, 12, 16 and 20.
    if (digit === 8 || digit === 13 || digit === 18 || digit === 23) digit++;
    buffer[at + byte] = (NIBBLE[id.charCodeAt(digit)]! << 4) | NIBBLE[id.charCodeAt(digit + 1)]!;
    digit += 2;
  }
}
