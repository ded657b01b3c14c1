import * as fs from "node:fs";
import { FRAME_HEAD_BYTES, frameBytes } from "./codec.ts";
import { listSegments, nextSegment, segmentPath } from "./segments.ts";

/** Written and taken back when a full disk is tried again: less free space than this is no recovery. */
const PROBE = new Uint8Array(64 * 1024);

/**
 * The file under the writer: appends whole frames to the newest segment and opens the next one in time.
 *
 * `append` never throws; everything else may, and leaves the journal as it was.
 */
export class Journal {
  readonly #directory: string;
  readonly #segmentBytes: number;
  readonly #firstFrame: Uint8Array;
  #fd = -1;
  #inode = 0;
  #segment = 0;
  /** End of the last whole frame: the file is never left longer than this. */
  #offset = 0;
  #rotateAt: number;
  /** Segments that are full and wait to be synced and closed. */
  readonly #retired: number[] = [];
  lastError: string | undefined;

  /** @param firstFrame - put at the head of every segment. */
  constructor(directory: string, segmentBytes: number, firstFrame: Uint8Array) {
    this.#directory = directory;
    this.#segmentBytes = segmentBytes;
    this.#rotateAt = segmentBytes;
    this.#firstFrame = firstFrame;
  }

  get segment(): number {
    return this.#segment;
  }

  /** Starts a new segment; the one before is closed at the next sync. */
  openNext(): void {
    fs.mkdirSync(this.#directory, { recursive: true });
    const segment = nextSegment([...listSegments(this.#directory), this.#segment]);
    const fd = fs.openSync(segmentPath(this.#directory, segment), "wx", 0o600);
    try {
      if (fs.writeSync(fd, this.#firstFrame) < this.#firstFrame.byteLength) throw new Error("no space for a segment");
    } catch (error) {
      fs.closeSync(fd);
      fs.rmSync(segmentPath(this.#directory, segment), { force: true });
      throw error;
    }
    if (this.#fd !== -1) this.#retired.push(this.#fd);
    this.#fd = fd;
    this.#inode = fs.fstatSync(fd).ino;
    this.#segment = segment;
    this.#offset = this.#firstFrame.byteLength;
    this.#rotateAt = this.#segmentBytes;
  }

  /**
   * Appends `frames`, as many of them as go in whole.
   *
   * @returns bytes of `frames` that are in the file; fewer than given after a failure, and then `lastError` says why.
   */
  append(frames: Buffer): number {
    if (this.#offset >= this.#rotateAt) this.#rotate();
    const start = this.#offset;
    let written = 0;
    try {
      while (written < frames.byteLength) {
        const count = fs.writeSync(this.#fd, frames, written, frames.byteLength - written, start + written);
        // Bun answers a full disk first with a short count, then with an error.
        if (count === 0) throw new Error("nothing was written");
        written += count;
      }
      this.#offset = start + written;
      return written;
    } catch (error) {
      this.lastError = error instanceof Error ? error.message : String(error);
      const whole = wholeFrames(frames, this.#bytesInFile(start, written));
      this.#offset = start + whole;
      this.#cutTail();
      return whole;
    }
  }

  /** Makes a journal that failed usable again, or throws: what is left of the last write is cut off, and space is tried. */
  repair(): void {
    if (this.#fd === -1 || this.isUnlinked()) this.openNext();
    else this.#probe();
  }

  /** Whether the file that is being written has lost its name: what goes into it then reaches nobody. */
  isUnlinked(): boolean {
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

  close(): void {
    if (this.#fd !== -1) fs.closeSync(this.#fd);
    this.#fd = -1;
  }

  #probe(): void {
    try {
      fs.ftruncateSync(this.#fd, this.#offset);
      let probed = 0;
      while (probed < PROBE.byteLength) {
        const count = fs.writeSync(this.#fd, PROBE, probed, PROBE.byteLength - probed, this.#offset + probed);
        if (count === 0) throw new Error("no space left");
        probed += count;
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EIO") throw error;
      this.openNext();
    } finally {
      this.#cutTail();
    }
  }

  #rotate(): void {
    try {
      this.openNext();
    } catch (error) {
      // The segment at hand still takes frames: a segment that is too long is better than a lost one.
      this.lastError = error instanceof Error ? error.message : String(error);
      this.#rotateAt = this.#offset + this.#segmentBytes;
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
      fs.ftruncateSync(this.#fd, this.#offset);
    } catch (error) {
      // The tail stays torn; `repair` tries again, and the reader cuts it at the first bad crc.
      this.lastError = error instanceof Error ? error.message : String(error);
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
