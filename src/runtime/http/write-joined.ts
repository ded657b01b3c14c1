import type { ByteSocket } from "./sockets.ts";

const SHARED_BYTES = 64 * 1_024;
/** Reused for every write: a buffer for each would cost more than the write. */
const shared = Buffer.allocUnsafeSlow(SHARED_BYTES);

/**
 * Writes text, bytes and text in one write. Texts are Latin-1.
 *
 * @returns as `ByteSocket.write`.
 */
export function writeJoined(socket: ByteSocket, before: string, bytes: Uint8Array, behind = ""): boolean {
  const length = before.length + bytes.byteLength + behind.length;
  if (socket.writeCopied === undefined || length > SHARED_BYTES) {
    const own = Buffer.allocUnsafe(length);
    fill(own, before, bytes, behind);
    return socket.write(own);
  }
  fill(shared, before, bytes, behind);
  return socket.writeCopied(shared, 0, length);
}

function fill(all: Buffer, before: string, bytes: Uint8Array, behind: string): void {
  all.write(before, 0, "latin1");
  if (bytes.byteLength > 0) all.set(bytes, before.length);
  if (behind !== "") all.write(behind, before.length + bytes.byteLength, "latin1");
}
