import * as fs from "node:fs";
import { FRAME_HEAD_BYTES, frameKind, isIntact } from "./codec.ts";
import type { FrameKind, Position } from "./frame.ts";
import { isPosition } from "./read-meta.ts";
import { frameAt, resumeBehind } from "./resume.ts";

/** First and last frame of a carry file: the position up to which the file covers the spool. */
export const FOOTER = 8 as FrameKind;

/** File name suffix of a damaged file that nothing in flight needs any more. */
export const SET_ASIDE = ".carry.damaged";

/** Damaged carry files set aside in the spool's directory. */
export function damagedCarryFiles(directory: string): string[] {
  return namesIn(directory).filter((name) => name.endsWith(SET_ASIDE));
}

export function namesIn(directory: string): string[] {
  return fs.existsSync(directory) ? fs.readdirSync(directory) : [];
}

/** The position up to which a file covers the spool, from its first readable footer frame. */
export function readUpTo(fd: number): Position | undefined {
  for (const { frame } of framesOf(fd)) {
    const place = frame && footerOf(frame);
    if (place !== undefined) return place;
  }
  return undefined;
}

function footerOf(frame: Buffer): Position | undefined {
  if (frameKind(frame, 0) !== FOOTER) return undefined;
  try {
    const place: unknown = JSON.parse(frame.toString("utf8", FRAME_HEAD_BYTES));
    return isPosition(place) ? (place as Position) : undefined;
  } catch {
    return undefined;
  }
}

/** An element of a carry file: a complete frame, with any unreadable bytes before it; at the end, possibly only such bytes. */
interface Found {
  readonly frame?: Buffer;
  readonly offset: number;
  readonly damaged: number;
}

/** The complete frames of a file, one in memory at a time. */
export function* framesOf(fd: number): Generator<Found> {
  const { size } = fs.fstatSync(fd);
  let damaged = 0;
  for (let offset = 0; offset < size; ) {
    const whole = frameAt(fd, offset, size);
    const resumed = whole === undefined ? resumeBehind(fd, offset, size) : undefined;
    const frame = whole ?? resumed?.repaired;
    const next = frame === undefined ? (resumed?.offset ?? size) : offset + frame.byteLength;
    if (frame === undefined) damaged += next - offset;
    else {
      yield { frame, offset, damaged };
      damaged = 0;
    }
    offset = next;
  }
  if (damaged > 0) yield { offset: size, damaged };
}

/**
 * Reads the first bytes of the payload at `offset` into `target`.
 *
 * @returns how many; 0 if its frame is damaged.
 */
export function readPayload(fd: number, offset: number, target: Buffer): number {
  const at = offset - FRAME_HEAD_BYTES;
  const frame = Buffer.allocUnsafe(FRAME_HEAD_BYTES + target.byteLength);
  const isWhole = fs.readSync(fd, frame, 0, frame.byteLength, at) === frame.byteLength;
  // The CRC does not cover the length: a frame with only its length damaged is good.
  if (isWhole && isIntact(frame, 0, frame.byteLength)) return frame.copy(target, 0, FRAME_HEAD_BYTES);
  // If a body exceeds its limit, its last part is shorter than its frame.
  return frameAt(fd, at, fs.fstatSync(fd).size)?.copy(target, 0, FRAME_HEAD_BYTES) ?? 0;
}
