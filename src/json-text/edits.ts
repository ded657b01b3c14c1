/** The replacement of the bytes `[from, to)` of a body. */
export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Applies edits with a single copy. @param edits - in order of position, without overlaps. */
export function edited(bytes: Uint8Array, edits: readonly Edit[]): Buffer {
  let length = bytes.byteLength;
  for (const { from, to, text } of edits) length += from - to + Buffer.byteLength(text);
  const given = bufferOf(bytes);
  const changed = Buffer.allocUnsafe(length);
  let [at, read] = [0, 0];
  for (const { from, to, text } of edits) {
    at += given.copy(changed, at, read, from);
    at += changed.write(text, at);
    read = to;
  }
  given.copy(changed, at, read);
  return changed;
}

/** Whether these are edits, in order and without overlaps, of a body of `length` bytes. */
export function areEdits(value: unknown, length: number): value is readonly Edit[] {
  if (!Array.isArray(value)) return false;
  let read = 0;
  return value.every((edit: Partial<Edit> | null) => {
    const { from, to, text } = edit ?? {};
    if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || typeof text !== "string") return false;
    if (from! < read || to! < from! || to! > length) return false;
    read = to!;
    return true;
  });
}

/** The same bytes. `buffer` of a Buffer is not read: its first reader creates an object that most never need. */
export const bufferOf = (bytes: Uint8Array): Buffer =>
  bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
