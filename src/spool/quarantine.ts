import * as fs from "node:fs";
import { join } from "node:path";

const NAME = "unreadable.frames";
/** Maximum size of the file: further frames are only counted. */
const BYTES_MAX = 64 * 1024 * 1024;

/** The file next to the segments that keeps unreadable frames, as they were in their segments. */
export function quarantinePath(directory: string): string {
  return join(directory, NAME);
}

/** Appends `frame` to the file. @returns whether it was kept: the file may be full, or the disk. */
export function quarantine(directory: string, frame: Uint8Array, bytesMax = BYTES_MAX): boolean {
  try {
    const fd = fs.openSync(quarantinePath(directory), "a", 0o600);
    try {
      if (fs.fstatSync(fd).size + frame.byteLength > bytesMax) return false;
      fs.writeFileSync(fd, frame);
      return true;
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return false; // an unreadable frame must not block anything
  }
}
