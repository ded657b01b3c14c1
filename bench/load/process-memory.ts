import { readFileSync } from "node:fs";

/** Memory that only one process has, in MB, by what allocated it. */
export interface ProcessMemory {
  readonly all: number;
  /** The C library's arenas: what the database driver and the zstd codec use. */
  readonly native: number;
  /** The engine's regions of a gigabyte and more: heaps, code, and what buffers and sockets hold. */
  readonly engine: number;
}

interface Region {
  readonly start: number;
  readonly end: number;
  readonly access: string;
  readonly name: string;
  kilobytes: number;
}

/** An arena of the C library: that long, on such a boundary, of which the end is not in use yet. */
const ARENA_BYTES = 2 ** 26;
const ENGINE_BYTES_MIN = 2 ** 30;
const HEAD = /^([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \S+\s*(.*)$/;

/** Linux tells it; counts private pages alone, so that the cached files of a database take no part. */
export function processMemory(pid: number): ProcessMemory {
  const regions: Region[] = [];
  for (const line of readFileSync(`/proc/${pid}/smaps`, "utf8").split("\n")) {
    const [, start, end, access, name] = HEAD.exec(line) ?? [];
    if (start !== undefined) {
      const at = { start: Number.parseInt(start, 16), end: Number.parseInt(end!, 16) };
      regions.push({ ...at, access: access!, name: name!, kilobytes: 0 });
    }
    const kilobytes = /^Private_\w+:\s+(\d+) kB/.exec(line)?.[1];
    if (kilobytes !== undefined) regions.at(-1)!.kilobytes += Number(kilobytes);
  }
  const sum = (fits: (region: Region, next: Region | undefined) => boolean) =>
    regions.reduce((total, each, at) => total + (fits(each, regions[at + 1]) ? each.kilobytes : 0), 0) / 1_024;
  return { all: sum(() => true), native: sum(isNative), engine: sum(isEngine) };
}

const isNative = ({ name, start, end }: Region, next: Region | undefined) =>
  name === "[heap]" ||
  (name === "" &&
    start % ARENA_BYTES === 0 &&
    next?.start === end &&
    next.access.startsWith("---") &&
    next.end - start === ARENA_BYTES);

const isEngine = ({ name, start, end }: Region) => name === "" && end - start >= ENGINE_BYTES_MIN;
