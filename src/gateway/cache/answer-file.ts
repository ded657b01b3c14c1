import type { FileHandle } from "node:fs/promises";
import type { AnswerHead, AnswerOrigin, StoredAnswer } from "./stored-answer.ts";

const MAGIC = Buffer.from("WEIR-CACHE-1\n");
/** What is read at once. */
const WINDOW_BYTES = 256 * 1_024;

/** The bytes of a file: a mark, the length of its head, the head as JSON, the body. */
export function encodeEntry(answer: StoredAnswer, origin: AnswerOrigin): Uint8Array[] {
  const { status, reason, headers, chunks } = answer;
  const head: AnswerHead = { ...origin, status, reason, headers, lengths: chunks.map(({ byteLength }) => byteLength) };
  const json = Buffer.from(JSON.stringify(head));
  const length = Buffer.allocUnsafe(4);
  length.writeUInt32LE(json.byteLength);
  return [MAGIC, length, json, ...chunks];
}

/**
 * A file, read forward in windows of 256 kB, so that a slow client of a large answer costs little memory. One that fits
 * into a window is closed at once.
 */
export class AnswerFile {
  readonly head: AnswerHead;
  readonly #file: FileHandle | undefined;
  /** Bytes that were read and not taken. */
  #window: Buffer;
  #position: number;

  private constructor(head: AnswerHead, file: FileHandle | undefined, window: Buffer, position: number) {
    this.head = head;
    this.#file = file;
    this.#window = window;
    this.#position = position;
  }

  /** @throws where the file is damaged. */
  static async read(file: FileHandle, bytes: number): Promise<AnswerFile> {
    if ((await file.stat()).size !== bytes) throw new Error("the file is not as long as its name says");
    let window = await readAt(file, 0, Math.min(bytes, WINDOW_BYTES));
    const start = MAGIC.byteLength + 4;
    if (!window.subarray(0, MAGIC.byteLength).equals(MAGIC)) throw new Error("the file is no cache entry");
    const end = start + window.readUInt32LE(MAGIC.byteLength);
    if (end > bytes) throw new Error("the file's head is longer than the file");
    if (end > window.byteLength) window = await readAt(file, 0, end);
    const head = JSON.parse(window.toString("utf8", start, end)) as AnswerHead;
    const isWhole = window.byteLength === bytes;
    if (isWhole) await file.close();
    return new AnswerFile(head, isWhole ? undefined : file, window.subarray(end), window.byteLength);
  }

  /** The next `length` bytes, where they are in memory already. */
  takeNow(length: number): Buffer | undefined {
    if (this.#window.byteLength < length) return undefined;
    const bytes = this.#window.subarray(0, length);
    this.#window = this.#window.subarray(length);
    return bytes;
  }

  /** The next `length` bytes. @throws where the file cannot be read. */
  async take(length: number): Promise<Buffer> {
    const missing = length - this.#window.byteLength;
    if (missing > 0) {
      if (this.#file === undefined) throw new Error("the file ends too early");
      const more = await readAt(this.#file, this.#position, Math.max(missing, WINDOW_BYTES), missing);
      this.#position += more.byteLength;
      this.#window = Buffer.concat([this.#window, more]);
    }
    return this.takeNow(length)!;
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }
}

/** @param atLeast - fewer bytes than this are a failure. */
async function readAt(file: FileHandle, position: number, length: number, atLeast = length): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  if (filled < atLeast) throw new Error("the file ends too early");
  return buffer.subarray(0, filled);
}
