import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";

const PIECE_BYTES = 1024 * 1024;

export interface Copied {
  readonly bytes: number;
  readonly sha256: string;
}

/** The destination of bytes. */
export type ByteSink = (piece: Buffer) => void;

/**
 * Reads `bytes` of an open file from its beginning, or from `at`, and passes them on in pieces, letting other work run
 * in between.
 *
 * @throws if the file ends before that.
 */
export async function readPieces(fd: number, bytes: number, sink: ByteSink, at = 0): Promise<Copied> {
  const hash = createHash("sha256");
  const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, Math.max(1, bytes)));
  let done = 0;
  while (done < bytes) {
    const count = fs.readSync(fd, piece, 0, Math.min(piece.byteLength, bytes - done), at + done);
    if (count === 0) throw new Error(`a file ends after ${done} of ${bytes} bytes`);
    const read = piece.subarray(0, count);
    hash.update(read);
    sink(read);
    done += count;
    await nextTurn();
  }
  return { bytes, sha256: hash.digest("hex") };
}

/** A sink that appends to an open file. */
export function writeTo(fd: number): ByteSink {
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
