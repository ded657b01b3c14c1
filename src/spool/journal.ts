import * as fs from "node:fs";
import { messageOf } from "../log.ts";
import { FRAME_HEAD_BYTES, frameBytes } from "./codec.ts";
import type { Position } from "./frame.ts";
import { listSegments, nextSegment, segmentPath } from "./segments.ts";
import type { Tip } from "./tip.ts";
import { readTip, writeTip } from "./tip-file.ts";

/**
 * A segment grows by so many zeros at a time, and frames are then written over them: for small writes, the system's work for
 * new pages of a file costs more than the copy. Zeros where a frame would begin are the end of what is written.
 */
const AHEAD = new Uint8Array(256 * 1024);

/** Written and removed again to test a full disk: with less free space there is no recovery. */
const PROBE = new Uint8Array(64 * 1024);

/** In bytes. */
interface JournalLimits {
  /** Size at which the next segment is begun. */
  readonly segmentBytes: number;
  /** With less free space segments do not grow ahead: a disk that is nearly full belongs to frames. */
  readonly roomMin: number;
}

/**
 * The files under a writer: appends complete frames to the newest segment and opens the next one when needed.
 *
 * Every thread that writes into the spool has its own journal and descriptors; they coordinate through the tip. `append`
 * never throws; everything else may, and then leaves the journal unchanged.
 */
export class Journal {
  readonly #directory: string;
  readonly #limits: JournalLimits;
  readonly #firstFrame: (previous: Position | undefined) => Uint8Array;
  readonly #tip: Tip;
  #fd = -1;
  #inode = 0;
  /** The segment of `#fd`: another thread may already have moved on to the next. */
  #segment = 0;
  #rotateAt: number;
  /** The file has zeros up to here, unless another thread has cut it. */
  #preparedTo = 0;
  /** Full segments that must be synced and closed. */
  readonly #retired: number[] = [];
  lastError: string | undefined;

  /** @param firstFrame - creates the first frame of a segment, given how far the previous one was written. */
  constructor(
    directory: string,
    limits: JournalLimits,
    firstFrame: (previous: Position | undefined) => Uint8Array,
    tip: Tip,
  ) {
    this.#directory = directory;
    this.#tip = tip;
    this.#limits = limits;
    this.#rotateAt = limits.segmentBytes;
    this.#firstFrame = firstFrame;
  }

  get segment(): number {
    return this.#segment;
  }

  /** Starts a new segment; the previous one is closed at the next sync. */
  openNext(): void {
    this.#tip.exclusively(() => this.#openNext());
  }

  /** Leaves the current segment before it is full, if the next one can be created. */
  leaveSegment(): void {
    this.#tip.exclusively(() => this.#rotate());
  }

  /**
   * Appends as many complete frames of `frames` as possible.
   *
   * @returns bytes of `frames` that are in the file; fewer than given after a failure, with the reason in `lastError`.
   */
  append(frames: Buffer): number {
    return this.#tip.exclusively(() => this.#append(frames));
  }

  /** Makes a failed journal usable again, or throws: truncates the rest of the last write, and tests for space. */
  repair(): void {
    this.#tip.exclusively(() => {
      const { segment } = this.#tip;
      if (segment === 0 || !fs.existsSync(segmentPath(this.#directory, segment))) this.#openNext();
      else {
        this.#follow();
        if (this.isUnlinked()) this.#openNext();
        else this.#probe();
      }
    });
  }

  /** Whether the current file has been deleted: later writes to it would be lost. */
  isUnlinked(): boolean {
    if (this.#segment !== this.#tip.segment) return false; // another thread has moved on, and this thread's segment may have been read and deleted
    try {
      return fs.statSync(segmentPath(this.#directory, this.#segment)).ino !== this.#inode;
    } catch {
      return true;
    }
  }

  /** Descriptors whose content may not be synced yet; the caller closes those that are `retired`. */
  takeUnsynced(): { readonly current: number; readonly retired: readonly number[] } {
    return { current: this.#fd, retired: this.#retired.splice(0) };
  }

  /** Stores in a file how far the spool is written, for the next start. */
  noteTip(): void {
    if (this.#tip.segment !== 0) writeTip(this.#directory, this.#tip);
  }

  close(): void {
    this.#tip.exclusively(() => this.#leave());
    if (this.#fd !== -1) fs.closeSync(this.#fd);
    this.#fd = -1;
  }

  #openNext(): void {
    fs.mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    const segment = nextSegment([...listSegments(this.#directory), this.#tip.segment]);
    const firstFrame = this.#firstFrame(this.#previous());
    const fd = fs.openSync(segmentPath(this.#directory, segment), "wx+", 0o600);
    try {
      if (fs.writeSync(fd, firstFrame) < firstFrame.byteLength) throw new Error("no space for a segment");
    } catch (error) {
      fs.closeSync(fd);
      fs.rmSync(segmentPath(this.#directory, segment), { force: true });
      throw error;
    }
    this.#leave();
    this.#use(fd, segment);
    this.#tip.moveTo({ segment, offset: firstFrame.byteLength });
    writeTip(this.#directory, this.#tip);
  }

  /** Cuts the zeros at the end of the newest segment. */
  #leave(): void {
    const { segment, offset } = this.#tip;
    try {
      if (segment !== 0) fs.truncateSync(segmentPath(this.#directory, segment), offset);
    } catch {
      // It is deleted, or the zeros stay: the reader passes over them.
    }
  }

  /** The segment before the next one: this run's, or the last one of an earlier run, if known. */
  #previous(): Position | undefined {
    const { segment, offset } = this.#tip;
    if (segment !== 0) return { segment, offset };
    const last = listSegments(this.#directory).at(-1) ?? 0;
    const noted = readTip(this.#directory);
    if (noted !== undefined && noted.segment >= last) return noted;
    return last === 0 ? undefined : { segment: last, offset: 0 };
  }

  #use(fd: number, segment: number): void {
    if (this.#fd !== -1) this.#retired.push(this.#fd);
    this.#fd = fd;
    this.#inode = fs.fstatSync(fd).ino;
    this.#segment = segment;
    this.#rotateAt = this.#limits.segmentBytes;
    this.#preparedTo = 0;
  }

  /** Moves on to the segment that another thread has begun. */
  #follow(): void {
    const { segment } = this.#tip;
    if (segment !== this.#segment || this.#fd === -1)
      this.#use(fs.openSync(segmentPath(this.#directory, segment), "r+"), segment);
  }

  #append(frames: Buffer): number {
    if (this.#tip.offset >= this.#rotateAt) this.#rotate();
    const start = this.#tip.offset;
    let written = 0;
    try {
      this.#follow();
      this.#prepare(start + frames.byteLength);
      while (written < frames.byteLength) {
        const count = fs.writeSync(this.#fd, frames, written, frames.byteLength - written, start + written);
        // On a full disk Bun first returns a short count, then an error.
        if (count === 0) throw new Error("nothing was written");
        written += count;
      }
      this.#tip.offset = start + written;
      return written;
    } catch (error) {
      this.lastError = messageOf(error);
      const whole = wholeFrames(frames, this.#bytesInFile(frames, start, written));
      this.#tip.offset = start + whole;
      this.#cutTail();
      return whole;
    }
  }

  #probe(): void {
    try {
      fs.ftruncateSync(this.#fd, this.#tip.offset);
      let probed = 0;
      while (probed < PROBE.byteLength) {
        const count = fs.writeSync(this.#fd, PROBE, probed, PROBE.byteLength - probed, this.#tip.offset + probed);
        if (count === 0) throw new Error("no space left");
        probed += count;
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EIO") throw error;
      this.#openNext();
    } finally {
      this.#cutTail();
    }
  }

  #rotate(): void {
    try {
      this.#openNext();
    } catch (error) {
      // The current segment still accepts frames: a segment that is too long is better than a lost one.
      this.lastError = messageOf(error);
      this.#rotateAt = this.#tip.offset + this.#limits.segmentBytes;
    }
  }

  /** Where zeros cannot be written, the write of the frames says why. */
  #prepare(end: number): void {
    if (end <= this.#preparedTo) return;
    this.#preparedTo = Math.max(
      end,
      Math.min(Math.ceil(end / AHEAD.byteLength) * AHEAD.byteLength, this.#limits.segmentBytes),
    );
    try {
      let { size } = fs.fstatSync(this.#fd);
      // A large write costs little per page by itself.
      if (end - size >= AHEAD.byteLength) return;
      const { bavail, bsize } = fs.statfsSync(this.#directory);
      if (bavail * bsize < this.#limits.roomMin) return;
      for (let count = 1; count > 0 && size < this.#preparedTo; size += count)
        count = fs.writeSync(this.#fd, AHEAD, 0, Math.min(AHEAD.byteLength, this.#preparedTo - size), size);
    } catch {
      return;
    }
  }

  /** How many bytes of a failed write are in the file; Deno throws after a partial write without a count. */
  #bytesInFile(frames: Buffer, start: number, counted: number): number {
    try {
      const there = Buffer.alloc(frames.byteLength);
      const limit = fs.readSync(this.#fd, there, 0, there.byteLength, start);
      let same = counted;
      while (same < limit && there[same] === frames[same]) same++;
      return same;
    } catch {
      return counted;
    }
  }

  #cutTail(): void {
    this.#preparedTo = 0;
    try {
      fs.ftruncateSync(this.#fd, this.#tip.offset);
    } catch (error) {
      // The tail stays torn; `repair` tries again, and the reader cuts it at the first bad CRC.
      this.lastError = messageOf(error);
    }
  }
}

/** Length of the complete frames among the first `bytes` of `frames`. */
function wholeFrames(frames: Buffer, bytes: number): number {
  let at = 0;
  while (at + FRAME_HEAD_BYTES <= bytes) {
    const length = frameBytes(frames, at, frames.byteLength);
    if (length <= 0 || at + length > bytes) break;
    at += length;
  }
  return at;
}
