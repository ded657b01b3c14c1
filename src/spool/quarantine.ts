import * as fs from "node:fs";
import { join } from "node:path";

const NAME = "unreadable.frames";
/** Beyond this no further frame is kept: it is counted only. */
const BYTES_MAX = 64 * 1024 * 1024;

/** The file beside the segments that keeps frames which could not be read, as they stood in their segments. */
export function quarantinePath(directory: string): string {
  return join(directory, NAME);
}

/** Appends `frame` to the file. @returns whether it is kept: the file may be full, or the disk. */
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
    return false; // what cannot be read must hold nothing up
  }
}
