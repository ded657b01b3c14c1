import type { FileHandle } from "node:fs/promises";
import { crc32 } from "node:zlib";
import type { ResponseHead, ResponseOrigin, StoredResponse } from "./stored-response.ts";

const MAGIC = Buffer.from("WEIR-CACHE-2\n");
/** Size of one read. */
const WINDOW_BYTES = 256 * 1_024;

/** The magic bytes, the length of the head, and the head's CRC-32. */
const START_BYTES = MAGIC.byteLength + 8;

/** The bytes of a file: magic and lengths, the head as JSON, the body. */
export function encodeEntry(response: StoredResponse, origin: ResponseOrigin): Uint8Array[] {
  const { status, reason, headers, chunks, answerer } = response;
  const lengths = chunks.map(({ byteLength }) => byteLength);
  const head: ResponseHead = {
    ...origin,
    status,
    reason,
    headers,
    answerer,
    lengths,
    sums: chunks.map((chunk) => crc32(chunk)),
  };
  const json = Buffer.from(JSON.stringify(head));
  const numbers = Buffer.allocUnsafe(8);
  numbers.writeUInt32LE(json.byteLength);
  numbers.writeUInt32LE(crc32(json), 4);
  return [MAGIC, numbers, json, ...chunks];
}

/**
 * A file, read forward in windows of 256 kB, so that a slow client of a large response costs little memory. A file that fits
 * into one window is verified completely and closed immediately. Damage in a larger one is found when its piece is read;
 * earlier pieces have already been sent by then.
 */
export class ResponseFile {
  readonly head: ResponseHead;
  readonly #file: FileHandle | undefined;
  /** Read but not yet taken. */
  #window: Buffer;
  #position: number;
  #pieces = 0;
  /** Called if a piece is damaged or unreadable after the response has begun. */
  onDamaged: (error: unknown) => void = () => {};

  private constructor(head: ResponseHead, file: FileHandle | undefined, window: Buffer, position: number) {
    this.head = head;
    this.#file = file;
    this.#window = window;
    this.#position = position;
  }

  /** @throws if the file is damaged. */
  static async read(file: FileHandle, bytes: number): Promise<ResponseFile> {
    if ((await file.stat()).size !== bytes) throw new Error("the file is not as long as its name says");
    let window = await readAt(file, 0, Math.min(bytes, WINDOW_BYTES));
    if (!window.subarray(0, MAGIC.byteLength).equals(MAGIC)) throw new Error("the file is no cache entry");
    const end = START_BYTES + window.readUInt32LE(MAGIC.byteLength);
    if (end > bytes) throw new Error("the file's head is longer than the file");
    if (end > window.byteLength) window = await readAt(file, 0, end);
    if (crc32(window.subarray(START_BYTES, end)) !== window.readUInt32LE(MAGIC.byteLength + 4))
      throw new Error("the file's head is damaged");
    const head = JSON.parse(window.toString("utf8", START_BYTES, end)) as ResponseHead;
    const body = window.subarray(end);
    const isWhole = window.byteLength === bytes;
    if (isWhole) {
      checkAll(head, body);
      await file.close();
    }
    return new ResponseFile(head, isWhole ? undefined : file, body, window.byteLength);
  }

  /** The next piece, of `length` bytes, if it is already in memory. @throws if it is damaged. */
  takeNow(length: number): Buffer | undefined {
    if (this.#window.byteLength < length) return undefined;
    const bytes = this.#window.subarray(0, length);
    this.#window = this.#window.subarray(length);
    return this.#file === undefined ? bytes : this.#checked(bytes);
  }

  /** The next piece. @throws if it is damaged or the file cannot be read. */
  async take(length: number): Promise<Buffer> {
    const missing = length - this.#window.byteLength;
    if (missing > 0) {
      const file = this.#file;
      if (file === undefined) throw new Error("the file ends too early");
      const wanted = Math.max(missing, WINDOW_BYTES);
      const more = await readAt(file, this.#position, wanted, missing).catch((error: unknown) => {
        this.onDamaged(error);
        throw error;
      });
      this.#position += more.byteLength;
      this.#window = Buffer.concat([this.#window, more]);
    }
    return this.takeNow(length)!;
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }

  #checked(bytes: Buffer): Buffer {
    try {
      check(this.head, this.#pieces++, bytes);
      return bytes;
    } catch (error) {
      this.onDamaged(error);
      throw error;
    }
  }
}

function checkAll(head: ResponseHead, body: Buffer): void {
  let at = 0;
  for (const [piece, length] of head.lengths.entries()) {
    check(head, piece, body.subarray(at, at + length));
    at += length;
  }
}

function check({ sums }: ResponseHead, piece: number, bytes: Buffer): void {
  if (crc32(bytes) !== sums?.[piece]) throw new Error("the file's body is damaged");
}

/** @param atLeast - reading fewer bytes than this is an error. */
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
