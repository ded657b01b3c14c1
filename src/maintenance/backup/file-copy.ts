import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";

export const PIECE_BYTES = 1024 * 1024;

export interface Copied {
  readonly bytes: number;
  readonly sha256: string;
}

/** Receives bytes. The next piece follows once it resolves; the memory of a piece is then reused. */
export type ByteSink = (piece: Uint8Array) => void | Promise<void>;

/**
 * Reads `bytes` of an open file from its beginning, and passes them on in pieces, so that other work runs in between.
 *
 * @throws if the file ends before that.
 */
export async function readPieces(fd: number, bytes: number, sink: ByteSink): Promise<Copied> {
  const hash = createHash("sha256");
  const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, Math.max(1, bytes)));
  let done = 0;
  while (done < bytes) {
    const count = fs.readSync(fd, piece, 0, Math.min(piece.byteLength, bytes - done), done);
    if (count === 0) throw new Error(`a file ends after ${done} of ${bytes} bytes`);
    const read = piece.subarray(0, count);
    hash.update(read);
    await sink(read);
    done += count;
    await nextTurn();
  }
  return { bytes, sha256: hash.digest("hex") };
}

/** Passes on a stream, to its end, in pieces. */
export async function copyStream(stream: ReadableStream<Uint8Array>, sink: ByteSink): Promise<Copied> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const piece of stream) {
    hash.update(piece);
    await sink(piece);
    bytes += piece.byteLength;
  }
  return { bytes, sha256: hash.digest("hex") };
}

/** A sink that appends to an open file. */
export function writeTo(fd: number): (piece: Uint8Array) => void {
  return (piece) => {
    for (let at = 0; at < piece.byteLength; ) at += fs.writeSync(fd, piece, at, piece.byteLength - at);
  };
}

/** Creates a new file that only its owner may read, and syncs it. */
export async function writeFile<T>(path: string, write: (sink: ByteSink) => Promise<T>): Promise<T> {
  const fd = fs.openSync(path, "wx", 0o600);
  try {
    const result = await write(writeTo(fd));
    fs.fdatasyncSync(fd);
    return result;
  } finally {
    fs.closeSync(fd);
  }
}
