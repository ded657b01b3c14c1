import * as fs from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { Position } from "./frame.ts";

const DIGITS = 16;

/**
 * The file next to the segments that stores how far they were written. If the next start finds a segment shorter or missing,
 * data was lost.
 */
export function tipPath(directory: string): string {
  return join(directory, "tip");
}

/** Overwrites the file in place, always with the same size. Never throws: without it only the detection of losses is weaker. */
export function writeTip(directory: string, { segment, offset }: Position): void {
  const place = [segment, offset].map((part) => String(part).padStart(DIGITS, "0")).join(" ");
  try {
    const fd = fs.openSync(tipPath(directory), fs.constants.O_WRONLY | fs.constants.O_CREAT, 0o600);
    try {
      fs.writeSync(fd, `${place} ${sumOf(place)}\n`, 0);
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    // The directory cannot be written now; the journal reports that as well.
  }
}

/** @returns undefined if the file is missing or unreadable. */
export function readTip(directory: string): Position | undefined {
  let text: string;
  try {
    text = fs.readFileSync(tipPath(directory), "latin1");
  } catch {
    return undefined;
  }
  const [, place = "", segment, offset, sum] = /^((\d{16}) (\d{16})) ([0-9a-f]{8})\n/.exec(text) ?? [];
  return sum === sumOf(place) ? { segment: Number(segment), offset: Number(offset) } : undefined;
}

function sumOf(place: string): string {
  return crc32(place).toString(16).padStart(8, "0");
}
