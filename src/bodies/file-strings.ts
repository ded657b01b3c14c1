import { DATA_URL } from "./base64.ts";
import { type DecodedFile, RecentFiles } from "./recent-files.ts";

/** Shorter strings are left to the parser: finding them would cost more than it saves. */
const LENGTH_MIN = 32_768;
/** Bytes that are looked at to decide whether a string may be base64. */
const PROBE_BYTES = 64;
/** Bytes in which the beginning of a data: URL is looked for. */
const BEFORE_MAX = 256;
/** ASCII without quotes, backslashes and control characters: in JSON it stands for itself. */
const PLAIN = /^[ !#-[\]-~]*$/;
const QUOTE = 0x22;

/** A string in the bytes of a JSON text that is base64, or a data: URL with base64. */
export interface FileString {
  /** The range between its quotes. */
  readonly start: number;
  readonly end: number;
  /** What precedes the base64: the beginning of a data: URL, or "". */
  readonly before: string;
  readonly file: DecodedFile;
}

const IS_BASE64 = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(/[A-Za-z0-9+/_-]/.test(String.fromCharCode(byte))),
);
const recent = new RecentFiles();

/**
 * Long base64 strings of a JSON text, in order. Only 64 bytes at every 16 kB are looked at, and what surrounds them if they
 * are base64. Each stands between quotes, stands for itself in JSON, and may be only the end of a string that has an escaped quote before it.
 *
 * @param lengthMin - of the base64, in bytes; at least 48, so that no file is too short for its place. Of equal
 *   strings all are found, or none.
 */
export function fileStrings(bytes: Buffer, lengthMin = LENGTH_MIN): FileString[] {
  const found: FileString[] = [];
  const stride = lengthMin >> 1;
  const probed = Math.min(PROBE_BYTES, stride);
  for (let at = 0; at + probed <= bytes.length; ) {
    if (!isBase64(bytes, at, probed)) {
      at += stride;
      continue;
    }
    const start = bytes.lastIndexOf(QUOTE, at) + 1;
    const end = bytes.indexOf(QUOTE, at);
    if (end === -1) break;
    const string = stringAt(bytes, start, end, lengthMin);
    if (string !== undefined) found.push(string);
    // Never in the same string again, so that a long one is read once.
    at = end + 1;
  }
  return found;
}

function isBase64(bytes: Buffer, at: number, length: number): boolean {
  for (let end = at + length; at < end; at++) if (IS_BASE64[bytes[at]!] === 0) return false;
  return true;
}

function stringAt(bytes: Buffer, start: number, end: number, lengthMin: number): FileString | undefined {
  const head = bytes.toString("latin1", start, Math.min(start + BEFORE_MAX, end));
  const before = DATA_URL.exec(head)?.[0] ?? "";
  const from = start + before.length;
  const file = end - from >= lengthMin && PLAIN.test(before) ? recent.decode(bytes, from, end) : undefined;
  return file && { start, end, before, file };
}
