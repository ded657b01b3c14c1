import { createReadStream } from "node:fs";

const LINE_END = 0x0a;

/**
 * Reads a file of lines, some of them at a time.
 *
 * Not `node:readline`: it also ends a line at U+2028, which may stand in JSON text as it is.
 *
 * @param linesMax - lines in a batch at most; every line of the file has its line end.
 */
export async function* readLines(path: string, linesMax: number): AsyncGenerator<string[]> {
  let batch: string[] = [];
  let begun: Uint8Array[] = [];
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_END); end !== -1; end = chunk.indexOf(LINE_END, from)) {
      const rest = chunk.subarray(from, end);
      batch.push((begun.length === 0 ? rest : Buffer.concat([...begun, rest])).toString("utf8"));
      begun = [];
      from = end + 1;
      if (batch.length === linesMax) {
        yield batch;
        batch = [];
      }
    }
    if (from < chunk.length) begun.push(chunk.subarray(from));
  }
  if (batch.length > 0) yield batch;
}
