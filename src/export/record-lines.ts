import { createReadStream } from "node:fs";

/** JSON text in UTF-8, with one record per line. Only complete lines. */
export type Lines = Buffer;

export const LINE_END = 0x0a;

const CHUNK_BYTES = 1 << 20;

/** The text of each line, without its end. */
export function* textsOf(lines: Lines): Generator<string> {
  let from = 0;
  for (let end = lines.indexOf(LINE_END); end !== -1; end = lines.indexOf(LINE_END, from)) {
    yield lines.toString("utf8", from, end);
    from = end + 1;
  }
}

export function countOf(lines: Lines): number {
  let count = 0;
  for (let end = lines.indexOf(LINE_END); end !== -1; end = lines.indexOf(LINE_END, end + 1)) count++;
  return count;
}

/**
 * Reads a file of lines, some lines at a time.
 *
 * Not `node:readline`: it also ends a line at U+2028, which JSON text may contain unescaped.
 */
export async function* readLines(path: string): AsyncGenerator<Lines> {
  let begun: Buffer[] = [];
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>) {
    const end = chunk.lastIndexOf(LINE_END) + 1;
    if (end > 0) {
      yield Buffer.concat([...begun, chunk.subarray(0, end)]);
      begun = [];
    }
    if (end < chunk.length) begun.push(chunk.subarray(end));
  }
}
