import * as fs from "node:fs";
import { FRAME_HEAD_BYTES, frameBytes, frameId, frameKind, isIntact } from "./codec.ts";
import type { FrameKind, Position } from "./frame.ts";
import { frameAt, resumeBehind } from "./resume.ts";
import { listSegments, segmentPath } from "./segments.ts";
import { hasZerosAt, writtenEnd } from "./written-end.ts";

/** How much is read ahead of the position at a time; a longer frame gets a buffer of its own size. */
const WINDOW_BYTES = 4 * 1024 * 1024;

/** Minimum read: a few bytes might not even contain the length of the next frame. */
const READ_BYTES_MIN = 64 * 1024;

/**
 * How long unreadable bytes of the newest segment must stay unchanged before a good frame after them proves that they are
 * damaged: they may be in the middle of being written.
 */
const SETTLES_MS = 1_000;

/** Bytes that are not a frame, followed by a good frame. */
export interface Damage extends Position {
  readonly bytes: number;
  /** Fields of the damaged frame, which may be damaged too. */
  readonly kind: FrameKind;
  readonly id: string;
}

/**
 * Receives one complete frame. The buffer is reused after the call: copy anything to be kept.
 *
 * @param at - where the frame begins in `buffer`; `end` is after its last byte.
 * @param position - where the frame begins in the spool.
 */
// biome-ignore lint/complexity/useMaxParams: called for every frame; an object for its place would be garbage of the hot path
export type FrameSink = (buffer: Buffer, at: number, end: number, segment: number, offset: number) => void;

interface ReaderOptions {
  readonly directory: string;
  /** Where to resume; default: the first existing segment. */
  readonly from?: Position;
  /** Called when damaged bytes before a good frame are skipped. */
  readonly onDamage?: (damage: Damage) => void;
  /**
   * Called when the reader moves past a finished segment.
   *
   * @param end - the end of its last good frame.
   * @param size - of the file without zeros at its end; bytes between `end` and `size` are not a complete frame and are
   * skipped. -1 if the file is missing.
   */
  readonly onLeft?: (segment: number, end: number, size: number) => void;
}

/**
 * Follows the journal: reads complete frames in order, segment after segment, and waits at the end.
 *
 * An incomplete frame is left for the next call while its segment is the newest. Once there is a newer segment the frame
 * will never be finished, and it is skipped. After a damaged frame reading resumes at the next good one. Used by one thread;
 * file system errors are thrown, and the call can then be repeated.
 */
export class SpoolReader {
  readonly #directory: string;
  readonly #onDamage: (damage: Damage) => void;
  readonly #onLeft: (segment: number, end: number, size: number) => void;
  readonly #open = new Map<number, number>();
  #window = Buffer.allocUnsafeSlow(WINDOW_BYTES);
  #segment: number;
  #offset: number;
  /** Where unreadable bytes were found in the newest segment, its size at the last check, and since when. */
  #suspect = { segment: 0, offset: 0, size: 0, sinceMs: 0 };

  constructor({ directory, from, onDamage, onLeft }: ReaderOptions) {
    this.#directory = directory;
    this.#onDamage = onDamage ?? (() => {});
    this.#onLeft = onLeft ?? (() => {});
    this.#segment = from?.segment ?? 0;
    this.#offset = from?.offset ?? 0;
  }

  /** Where the next frame is expected. */
  get position(): Position {
    return { segment: this.#segment, offset: this.#offset };
  }

  /**
   * Passes complete frames to `sink`, at least one if available, until slightly more than `bytesMax` are read or none is
   * left.
   *
   * @returns bytes read; 0 at the end.
   */
  read(sink: FrameSink, bytesMax: number): number {
    let total = 0;
    while (total < bytesMax) {
      const bytes = this.#readWindow(sink, bytesMax - total);
      total += bytes;
      if (bytes === 0 && !this.#passDamage(sink) && !this.#advance()) break;
    }
    return total;
  }

  /** Bytes in the spool after the position. */
  lagBytes(from = this.position): number {
    const end = this.end();
    let bytes = 0;
    for (const segment of listSegments(this.#directory)) {
      if (segment < from.segment) continue;
      const size = segment === end.segment ? end.offset : this.#sizeOf(segment);
      bytes += segment === from.segment ? Math.max(0, size - from.offset) : size;
    }
    return bytes;
  }

  /** The current end of the spool; a caller can wait until the position has passed it. */
  end(): Position {
    const last = listSegments(this.#directory).at(-1);
    if (last === undefined || last < this.#segment) return this.position;
    const fd = this.#descriptor(last);
    const from = last === this.#segment ? this.#offset : 0;
    if (fd !== undefined && hasZerosAt(fd, from)) return { segment: last, offset: from };
    return { segment: last, offset: fd === undefined ? 0 : writtenEnd(fd, from) };
  }

  /** Fills `target` with bytes of a segment; fewer if the file is shorter. */
  readBack(segment: number, offset: number, target: Buffer): number {
    const fd = this.#descriptor(segment);
    let filled = 0;
    while (fd !== undefined && filled < target.byteLength) {
      const count = fs.readSync(fd, target, filled, target.byteLength - filled, offset + filled);
      if (count === 0) break;
      filled += count;
    }
    return filled;
  }

  /** Deletes every segment below `segment` and closes its descriptor. */
  deleteBelow(segment: number): void {
    for (const [number, fd] of this.#open) {
      if (number >= segment) continue;
      fs.closeSync(fd);
      this.#open.delete(number);
    }
    for (const number of listSegments(this.#directory)) {
      if (number < segment) fs.rmSync(segmentPath(this.#directory, number), { force: true });
    }
  }

  close(): void {
    for (const fd of this.#open.values()) fs.closeSync(fd);
    this.#open.clear();
  }

  #readWindow(sink: FrameSink, bytesMax: number): number {
    const fd = this.#descriptor(this.#segment);
    if (fd === undefined) return 0;
    const wanted = Math.min(Math.max(bytesMax, READ_BYTES_MIN), this.#window.byteLength);
    const limit = fs.readSync(fd, this.#window, 0, wanted, this.#offset);
    let at = 0;
    while (at < limit) {
      const length = frameBytes(this.#window, at, limit);
      if (length <= 0) break;
      if (at + length > limit) {
        // The window does not hold even the first frame: it is read alone.
        if (at === 0 && length > wanted && this.#hasBytes(fd, length)) {
          if (length > this.#window.byteLength) this.#window = Buffer.allocUnsafeSlow(length);
          return this.#readWindow(sink, length);
        }
        break;
      }
      if (length < FRAME_HEAD_BYTES || !isIntact(this.#window, at, at + length)) break;
      sink(this.#window, at, at + length, this.#segment, this.#offset + at);
      at += length;
    }
    this.#offset += at;
    if (this.#window.byteLength > WINDOW_BYTES) this.#window = Buffer.allocUnsafeSlow(WINDOW_BYTES);
    return at;
  }

  /** Continues after damaged bytes, if a good frame follows them. */
  #passDamage(sink: FrameSink): boolean {
    const fd = this.#descriptor(this.#segment);
    const size = fd === undefined ? 0 : fs.fstatSync(fd).size;
    if (fd === undefined || size <= this.#offset || frameAt(fd, this.#offset, size) !== undefined) return false;
    if (this.#next() === undefined && (hasZerosAt(fd, this.#offset) || !this.#isSettled(fd))) return false;
    const resumed = resumeBehind(fd, this.#offset, size);
    if (resumed === undefined) return false;
    const { offset, repaired } = resumed;
    if (repaired !== undefined) sink(repaired, 0, repaired.byteLength, this.#segment, this.#offset);
    else {
      const head = Buffer.alloc(FRAME_HEAD_BYTES);
      fs.readSync(fd, head, 0, head.byteLength, this.#offset);
      const place = { segment: this.#segment, offset: this.#offset, bytes: offset - this.#offset };
      this.#onDamage({ ...place, kind: frameKind(head, 0), id: frameId(head, 0) });
    }
    this.#offset = offset;
    return true;
  }

  /** Whether the bytes at the position in the newest segment have been unchanged long enough while more was written. */
  #isSettled(fd: number): boolean {
    const size = writtenEnd(fd, this.#offset);
    const before = this.#suspect;
    const nowMs = performance.now();
    if (before.segment !== this.#segment || before.offset !== this.#offset) {
      this.#suspect = { segment: this.#segment, offset: this.#offset, size: 0, sinceMs: nowMs };
      return false;
    }
    if (nowMs - before.sinceMs < SETTLES_MS || size === before.size) return false;
    this.#suspect = { ...before, size };
    return true;
  }

  /** Moves to the next segment if the current one is finished. */
  #advance(): boolean {
    const next = this.#next();
    if (next === undefined) return false;
    // The writer may have appended its last frames between our read and its opening of the next segment.
    const fd = this.#descriptor(this.#segment);
    if (fd !== undefined && frameAt(fd, this.#offset, fs.fstatSync(fd).size) !== undefined) return true;
    const size = fd === undefined ? -1 : writtenEnd(fd, this.#offset);
    if (this.#segment > 0) this.#onLeft(this.#segment, this.#offset, size);
    this.#segment = next;
    this.#offset = 0;
    return true;
  }

  #sizeOf(segment: number): number {
    return fs.statSync(segmentPath(this.#directory, segment), { throwIfNoEntry: false })?.size ?? 0;
  }

  #next(): number | undefined {
    return listSegments(this.#directory).find((segment) => segment > this.#segment);
  }

  #hasBytes(fd: number, length: number): boolean {
    return fs.fstatSync(fd).size >= this.#offset + length;
  }

  #descriptor(segment: number): number | undefined {
    const open = this.#open.get(segment);
    if (open !== undefined) return open;
    try {
      const fd = fs.openSync(segmentPath(this.#directory, segment), "r");
      this.#open.set(segment, fd);
      return fd;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }
}
