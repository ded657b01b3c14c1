import * as fs from "node:fs";
import { messageOf } from "../log.ts";
import { FRAME_HEAD_BYTES, frameBytes } from "./codec.ts";
import type { Position } from "./frame.ts";
import { listSegments, nextSegment, segmentPath } from "./segments.ts";
import type { Tip } from "./tip.ts";
import { readTip, writeTip } from "./tip-file.ts";

/** Written and taken back when a full disk is tried again: less free space than this is no recovery. */
const PROBE = new Uint8Array(64 * 1024);

/**
 * The file under the writer: appends whole frames to the newest segment and opens the next one in time.
 *
 * Every thread that writes into the spool has a journal of its own, with descriptors of its own; they meet in the tip.
 * `append` never throws; everything else may, and leaves the journal as it was.
 */
export class Journal {
  readonly #directory: string;
  readonly #segmentBytes: number;
  readonly #firstFrame: (previous: Position | undefined) => Uint8Array;
  readonly #tip: Tip;
  #fd = -1;
  #inode = 0;
  /** The segment of `#fd`: another thread may have gone on to the next. */
  #segment = 0;
  #rotateAt: number;
  /** Segments that are full and wait to be synced and closed. */
  readonly #retired: number[] = [];
  lastError: string | undefined;

  /** @param firstFrame - makes the head of a segment, given how far the one before it was written. */
  constructor(
    directory: string,
    segmentBytes: number,
    firstFrame: (previous: Position | undefined) => Uint8Array,
    tip: Tip,
  ) {
    this.#directory = directory;
    this.#tip = tip;
    this.#segmentBytes = segmentBytes;
    this.#rotateAt = segmentBytes;
    this.#firstFrame = firstFrame;
  }

  get segment(): number {
    return this.#segment;
  }

  /** Starts a new segment; the one before is closed at the next sync. */
  openNext(): void {
    this.#tip.exclusively(() => this.#openNext());
  }

  /** Leaves the segment at hand before it is full, where the next one can be begun. */
  leaveSegment(): void {
    this.#tip.exclusively(() => this.#rotate());
  }

  /**
   * Appends `frames`, as many of them as go in whole.
   *
   * @returns bytes of `frames` that are in the file; fewer than given after a failure, and then `lastError` says why.
   */
  append(frames: Buffer): number {
    return this.#tip.exclusively(() => this.#append(frames));
  }

  /** Makes a journal that failed usable again, or throws: what is left of the last write is cut off, and space is tried. */
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

  /** Whether the file that is being written has lost its name: later writes to it are then lost. */
  isUnlinked(): boolean {
    if (this.#segment !== this.#tip.segment) return false; // another thread continued, and this one's may be read and deleted
    try {
      return fs.statSync(segmentPath(this.#directory, this.#segment)).ino !== this.#inode;
    } catch {
      return true;
    }
  }

  /** Descriptors whose content may not be on the disk yet; the caller closes those that are `retired`. */
  takeUnsynced(): { readonly current: number; readonly retired: readonly number[] } {
    return { current: this.#fd, retired: this.#retired.splice(0) };
  }

  /** Notes in a file how far the spool is written, for the next start. */
  noteTip(): void {
    if (this.#tip.segment !== 0) writeTip(this.#directory, this.#tip);
  }

  close(): void {
    if (this.#fd !== -1) fs.closeSync(this.#fd);
    this.#fd = -1;
  }

  #openNext(): void {
    fs.mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    const segment = nextSegment([...listSegments(this.#directory), this.#tip.segment]);
    const firstFrame = this.#firstFrame(this.#previous());
    const fd = fs.openSync(segmentPath(this.#directory, segment), "wx", 0o600);
    try {
      if (fs.writeSync(fd, firstFrame) < firstFrame.byteLength) throw new Error("no space for a segment");
    } catch (error) {
      fs.closeSync(fd);
      fs.rmSync(segmentPath(this.#directory, segment), { force: true });
      throw error;
    }
    this.#use(fd, segment);
    this.#tip.moveTo({ segment, offset: firstFrame.byteLength });
    writeTip(this.#directory, this.#tip);
  }

  /** The segment that the next one follows: this run's, or the last one of an earlier run, as far as that is known. */
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
    this.#rotateAt = this.#segmentBytes;
  }

  /** Goes on to the segment that another thread has begun. */
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
      while (written < frames.byteLength) {
        const count = fs.writeSync(this.#fd, frames, written, frames.byteLength - written, start + written);
        // Bun answers a full disk first with a short count, then with an error.
        if (count === 0) throw new Error("nothing was written");
        written += count;
      }
      this.#tip.offset = start + written;
      return written;
    } catch (error) {
      this.lastError = messageOf(error);
      const whole = wholeFrames(frames, this.#bytesInFile(start, written));
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
      // The segment at hand still takes frames: a segment that is too long is better than a lost one.
      this.lastError = messageOf(error);
      this.#rotateAt = this.#tip.offset + this.#segmentBytes;
    }
  }

  /** How much of a failed write is there; Deno throws after writing a part and does not say how much. */
  #bytesInFile(start: number, counted: number): number {
    try {
      return Math.max(counted, fs.fstatSync(this.#fd).size - start);
    } catch {
      return counted;
    }
  }

  #cutTail(): void {
    try {
      fs.ftruncateSync(this.#fd, this.#tip.offset);
    } catch (error) {
      // The tail stays torn; `repair` tries again, and the reader cuts it at the first bad crc.
      this.lastError = messageOf(error);
    }
  }
}

/** Length of the whole frames among the first `bytes` of `frames`. */
function wholeFrames(frames: Buffer, bytes: number): number {
  let at = 0;
  while (at + FRAME_HEAD_BYTES <= bytes) {
    const length = frameBytes(frames, at, frames.byteLength);
    if (length <= 0 || at + length > bytes) break;
    at += length;
  }
  return at;
}
