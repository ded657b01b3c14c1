import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";

const NAME = /^(\d{10,16})\.spool$/;

export function segmentPath(directory: string, segment: number): string {
  return join(directory, `${String(segment).padStart(13, "0")}.spool`);
}

/** Numbers of the segments in `directory`, lowest first; empty if the directory is missing. */
export function listSegments(directory: string): number[] {
  let entries: Dirent[];
  try {
    entries = readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  const segments: number[] = [];
  for (const entry of entries) {
    const match = NAME.exec(entry.name);
    // A directory with such a name is not ours, and opening a pipe would block.
    if (match !== null && (entry.isFile() || entry.isSymbolicLink())) segments.push(Number(match[1]));
  }
  return segments.sort((a, b) => a - b);
}

/**
 * The number of the next segment: above every existing one, and not below the clock in milliseconds, so that numbers keep
 * rising even if the directory is emptied, and the recorder's position never points into the future.
 */
export function nextSegment(existing: readonly number[], now: number = Date.now()): number {
  return existing.reduce((next, segment) => Math.max(next, segment + 1), Math.floor(now));
}
