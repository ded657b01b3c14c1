/** Up to this size a copy for another thread costs less than memory that threads share. */
const COPIED_BYTES_MAX = 64 * 1_024;

/**
 * Joins chunks. A large result is in memory that threads share: passing it to another thread copies nothing. A single small
 * chunk is the result itself. Nothing may write to it.
 */
export function joinedBytes(chunks: readonly Uint8Array[]): Buffer {
  const [only] = chunks;
  if (chunks.length === 1 && only instanceof Buffer && only.byteLength <= COPIED_BYTES_MAX) return only;
  const length = chunks.reduce((sum, { byteLength }) => sum + byteLength, 0);
  if (length <= COPIED_BYTES_MAX) return Buffer.concat(chunks, length);
  const joined = Buffer.from(new SharedArrayBuffer(length));
  let at = 0;
  for (const chunk of chunks) {
    joined.set(chunk, at);
    at += chunk.byteLength;
  }
  return joined as unknown as Buffer;
}
