import * as fs from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { Position } from "./frame.ts";

const DIGITS = 16;

/**
 * The file beside the segments that says how far they were written. Segments that the next start finds shorter than this,
 * or does not find, have lost something.
 */
export function tipPath(directory: string): string {
  return join(directory, "tip");
}

/** Overwrites the file in place, always with as many bytes. Never throws: without it, less is noticed. */
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
    // The directory cannot be written now, which the journal notices as well.
  }
}

/** @returns undefined where there is none, or none that can be read. */
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
