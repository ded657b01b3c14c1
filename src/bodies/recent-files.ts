import { hash } from "node:crypto";
import { isWhole } from "./base64.ts";

/** Files that are remembered at once, and the most bytes that they take, with their base64. */
const FILES_MAX = 8;
const BYTES_MAX = 16 * 1024 * 1024;
/** Longer base64 is not remembered. */
const BASE64_BYTES_MAX = 8 * 1024 * 1024;
/** A file is forgotten this long after it was last seen, because it may have been deleted since. */
const FORGET_MS = 300_000;
const FORGET_EACH_MS = 60_000;

const BACKSLASH = 0x5c;
const DASH = 0x2d;
const UNDERSCORE = 0x5f;

/** A file, and the base64 that encoded it. */
export class DecodedFile {
  readonly bytes: Buffer;
  readonly base64: Buffer;
  /** Whether its bytes determine every character of the base64: it is written as by most programs. */
  readonly isCanonical: boolean;
  /** By `performance.now`. */
  seenAt = 0;
  #id: string | undefined;

  /** @param base64 - all of its characters encode the bytes. */
  constructor(base64: Buffer, bytes: Buffer) {
    this.base64 = base64;
    this.bytes = bytes;
    const end = bytes.toString("base64", bytes.length - (bytes.length % 3 || 3));
    this.isCanonical =
      base64.length === Math.ceil(bytes.length / 3) * 4 &&
      base64.toString("latin1", base64.length - end.length) === end &&
      !base64.includes(DASH) &&
      !base64.includes(UNDERSCORE);
  }

  /** SHA-256 of its bytes, hexadecimal. */
  get id(): string {
    this.#id ??= hash("sha256", this.bytes);
    return this.#id;
  }
}

/**
 * The last large files of this thread, because clients send a conversation's files again with each of its requests: comparing
 * the text takes a tenth of the time that decoding and hashing it takes.
 */
export class RecentFiles {
  /** The last one seen first. */
  #files: readonly DecodedFile[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** The file that a range of a text encodes; undefined if anything in it is not base64. */
  decode(text: Buffer, start: number, end: number): DecodedFile | undefined {
    const known = this.#files.find(({ base64 }) => {
      return base64.length === end - start && text.compare(base64, 0, base64.length, start, end) === 0;
    });
    const file = known ?? decoded(text.subarray(start, end));
    if (file !== undefined && file.base64.length <= BASE64_BYTES_MAX) this.#remember(file);
    return file;
  }

  get size(): number {
    return this.#files.length;
  }

  /** Forgets files that were last seen before `time`, by `performance.now`. */
  forget(time: number): void {
    this.#files = this.#files.filter(({ seenAt }) => seenAt >= time);
  }

  #remember(file: DecodedFile): void {
    file.seenAt = performance.now();
    let [count, bytes] = [0, 0];
    this.#files = [file, ...this.#files.filter((each) => each !== file)].filter((each) => {
      bytes += each.base64.length + each.bytes.length;
      return ++count <= FILES_MAX && bytes <= BYTES_MAX;
    });
    this.#forgetLater();
  }

  #forgetLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.forget(performance.now() - FORGET_MS);
      if (this.#files.length > 0) this.#forgetLater();
    }, FORGET_EACH_MS).unref();
  }
}

function decoded(range: Buffer): DecodedFile | undefined {
  // Other long texts have escapes, and are not decoded.
  if (range.includes(BACKSLASH)) return undefined;
  const base64 = range.toString("latin1");
  const bytes = Buffer.from(base64, "base64");
  if (!isWhole(base64, bytes.length)) return undefined;
  // What is remembered has memory of its own, because a part of a body would keep all of it.
  return new DecodedFile(range.length > BASE64_BYTES_MAX ? range : Buffer.from(range), bytes);
}
