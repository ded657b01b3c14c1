import { IMPORTED_RECORD_BYTES_MAX } from "../record/imported.ts";

/** One record of a file, or the reason why there is none. */
export interface Found {
  /** Number of the line, or of the element of the array, from 1. */
  readonly number: number;
  /** Position in the file, in bytes, after the record. */
  readonly end: number;
  /** Its JSON, not parsed yet. */
  readonly text: string | undefined;
  readonly why: string | undefined;
}

/** The position where reading continues. */
export interface Place {
  readonly shape: "lines" | "array";
  readonly number: number;
  readonly end: number;
}

const [TAB, LINE_END, RETURN, SPACE] = [0x09, 0x0a, 0x0d, 0x20];
const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/**
 * Finds the records of a file of JSON lines, or of one JSON array: the first character decides. One record is in memory at a
 * time. Text between records may be broken; the next line, or the next element, is still found.
 */
export class RecordSplitter {
  readonly #bytesMax: number;
  #shape: "lines" | "array" | undefined;
  #number: number;
  /** Bytes of the file before the current chunk. */
  #before: number;
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  /** Whether the record has a byte other than whitespace. */
  #begun = false;
  #depth = 0;
  #inText = false;
  #escaped = false;
  #closed = false;
  #trailing = false;

  constructor(from?: Place, bytesMax: number = IMPORTED_RECORD_BYTES_MAX) {
    this.#shape = from?.shape;
    this.#number = from?.number ?? 0;
    this.#before = from?.end ?? 0;
    this.#bytesMax = bytesMax;
  }

  get shape(): "lines" | "array" {
    return this.#shape ?? "lines";
  }

  /** Yields the records that end in this chunk. Bytes are copied before the file's reader reuses the chunk. */
  *push(chunk: Uint8Array): Generator<Found> {
    let at = 0;
    if (this.#shape === undefined) {
      while (at < chunk.length && isSpace(chunk[at]!, this.#before + at)) at++;
      if (at === chunk.length) {
        for (const byte of chunk) if (byte === LINE_END) this.#number++;
        this.#before += chunk.length;
        return;
      }
      this.#shape = chunk[at] === OPEN_LIST ? "array" : "lines";
      if (this.#shape === "array") {
        at++;
        this.#number = 0;
      } else for (const byte of chunk.subarray(0, at)) if (byte === LINE_END) this.#number++;
    }
    yield* this.#shape === "lines" ? this.#lines(chunk, at) : this.#elements(chunk, at);
    this.#before += chunk.length;
  }

  /** Handles the rest at the end of the file. */
  *finish(): Generator<Found> {
    if (this.#shape === "lines") {
      if (this.#bytes > 0) yield* this.#take(0);
    } else if (this.#shape === "array" && !this.#closed) {
      yield { number: this.#number + 1, end: this.#before, text: undefined, why: "the file ends inside its array" };
    } else if (this.#trailing) {
      yield { number: this.#number + 1, end: this.#before, text: undefined, why: "more follows after the array" };
    }
  }

  *#lines(chunk: Uint8Array, from: number): Generator<Found> {
    let start = from;
    for (let end = chunk.indexOf(LINE_END, start); end !== -1; end = chunk.indexOf(LINE_END, start)) {
      this.#keep(chunk.subarray(start, end));
      start = end + 1;
      yield* this.#take(start);
    }
    this.#keep(new Uint8Array(chunk.subarray(start)));
  }

  *#elements(chunk: Uint8Array, from: number): Generator<Found> {
    let start = from;
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (this.#closed) {
        this.#trailing ||= !isSpace(byte);
      } else if (this.#inText) {
        if (byte === LINE_END) {
          // JSON strings cannot contain an unescaped line break: the record is broken, and must not affect the following
          // ones.
          this.#inText = this.#escaped = false;
          this.#depth = 0;
        } else if (this.#escaped) this.#escaped = false;
        else if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#inText = false;
      } else if (this.#depth === 0 && (byte === COMMA || byte === CLOSE_LIST)) {
        this.#keep(chunk.subarray(start, at));
        start = at + 1;
        this.#closed = byte === CLOSE_LIST;
        if (this.#begun || !this.#closed) yield* this.#take(this.#closed ? at : start);
      } else if (!isSpace(byte)) {
        this.#begun = true;
        if (byte === QUOTE) this.#inText = true;
        else if (byte === OPEN_OBJECT || byte === OPEN_LIST) this.#depth++;
        else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) this.#depth = Math.max(0, this.#depth - 1);
      }
    }
    if (!this.#closed) this.#keep(new Uint8Array(chunk.subarray(start)));
  }

  #keep(piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.#bytes += piece.length;
    if (this.#bytes > this.#bytesMax) this.#pieces = [];
    else this.#pieces.push(piece);
  }

  /** @param end - where in the chunk the next record may begin. */
  *#take(end: number): Generator<Found> {
    const place = { number: ++this.#number, end: this.#before + end };
    const [pieces, bytes] = [this.#pieces, this.#bytes];
    this.#pieces = [];
    this.#bytes = 0;
    this.#begun = false;
    if (bytes > this.#bytesMax) {
      yield { ...place, text: undefined, why: `longer than ${this.#bytesMax} bytes` };
      return;
    }
    const text = decode(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces));
    if (text === undefined) yield { ...place, text, why: "not UTF-8" };
    else if (text.trim() !== "" || this.#shape === "array") yield { ...place, text: text.trim(), why: undefined };
  }
}

function isSpace(byte: number, offset = -1): boolean {
  if (offset >= 0 && offset < 3 && byte === BYTE_ORDER_MARK[offset]) return true;
  return byte === SPACE || byte === LINE_END || byte === RETURN || byte === TAB;
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined; // reported with its number by the file's reader
  }
}
