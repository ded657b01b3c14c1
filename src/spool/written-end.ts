import * as fs from "node:fs";

const WINDOW_BYTES = 64 * 1024;

/**
 * The end of what is written in a segment: behind it there are only zeros, by which the writer has grown the file ahead of its
 * frames. A frame may end with zeros itself; those of the frames before `from` count as written.
 *
 * @param from - the end of a frame.
 * @returns at least `from`, unless the file is shorter.
 */
export function writtenEnd(fd: number, from: number): number {
  const { size } = fs.fstatSync(fd);
  const window = Buffer.allocUnsafe(WINDOW_BYTES);
  for (let end = size; end > from; ) {
    const at = Math.max(from, end - WINDOW_BYTES);
    const count = fs.readSync(fd, window, 0, end - at, at);
    for (let byte = count - 1; byte >= 0; byte--) if (window[byte] !== 0) return at + byte + 1;
    end = at;
  }
  return Math.min(from, size);
}

/** Whether there are zeros where a frame would begin: no frame begins so. */
export function hasZerosAt(fd: number, offset: number): boolean {
  const start = Buffer.alloc(4);
  return fs.readSync(fd, start, 0, start.byteLength, offset) === start.byteLength && start.readUInt32LE(0) === 0;
}
