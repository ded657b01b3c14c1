import { type Fault, type Framing, isField, MALFORMED } from "./header-fields.ts";
import { plainChunkSize, SmallPieces } from "./small-pieces.ts";

/** How chunked requests and responses differ. */
export interface ChunkRules {
  /** Matches a chunk's line: its size, and what may follow it. */
  readonly line: RegExp;
  /** Maximum bytes of all chunk lines of a body beyond their sizes. */
  readonly extensionBytesMax: number;
  readonly malformed: Fault;
}

const WHOLE = 0;
const LENGTH = 1;
const CHUNK_SIZE = 2;
const CHUNK = 3;
const CHUNK_END = 4;
const TRAILERS = 5;

const NO_BODY = { length: 0, chunked: false };
const CHUNK_LINE_BYTES_MAX = 4_096;
const TRAILER_BYTES_MAX = 64 * 1_024;

/** Pieces up to this size are copied out of what was received with them. */
const COPIED_BYTES_MAX = 2_048;

/**
 * A small piece is a copy: that takes half as long as a view of freshly received bytes, and does not keep the head before it,
 * with its credentials, in memory.
 */
function pieceOf(bytes: Buffer, at: number, end: number): Uint8Array {
  if (at === 0 && end === bytes.byteLength) return bytes;
  if (end - at > COPIED_BYTES_MAX) return bytes.subarray(at, end);
  // Not a Buffer: the runtime makes those in a call of its own.
  const piece = new Uint8Array(end - at);
  bytes.copy(piece, 0, at, end);
  return piece;
}

/**
 * The body of an HTTP/1.1 message, with a length or chunked, read one element at a time. Ambiguous framing is refused; chunk
 * extensions and trailers are read for their framing and dropped.
 */
export class BodyReader {
  readonly #rules: ChunkRules;
  readonly #small = new SmallPieces();
  #state = WHOLE;
  #remaining = 0;
  #extensionBytes = 0;
  #trailerBytes = 0;
  /** The body bytes from the last call of `read`. */
  piece: Uint8Array | undefined;

  constructor(rules: ChunkRules) {
    this.#rules = rules;
  }

  /** Whether all of it has been read and delivered. */
  get whole(): boolean {
    return this.#state === WHOLE && !this.#small.waiting;
  }

  /** Drops the rest of it. */
  stop(): void {
    this.begin(NO_BODY);
  }

  /** Begins the body that a head declares; without a length or chunks there is none. */
  begin({ length = 0, chunked }: Pick<Framing, "length" | "chunked">): void {
    this.#small.clear();
    this.piece = undefined;
    this.#extensionBytes = 0;
    this.#trailerBytes = 0;
    this.#remaining = length;
    this.#state = chunked ? CHUNK_SIZE : length > 0 ? LENGTH : WHOLE;
  }

  /**
   * Reads one element, unless the body is complete. Its bytes are in `piece`, to be delivered before the next element is
   * read.
   *
   * @returns where the next element begins, or -1 if more bytes are needed.
   */
  read(bytes: Buffer, at: number): number {
    this.piece = undefined;
    switch (this.#state) {
      case LENGTH:
      case CHUNK:
        return this.#content(bytes, at);
      case CHUNK_SIZE:
        return this.#chunkSize(bytes, at);
      case CHUNK_END:
        if (bytes.byteLength - at < 2) return -1;
        if (bytes[at] !== 13 || bytes[at + 1] !== 10)
          throw this.#rules.malformed("a chunk has another length than it says");
        this.#state = CHUNK_SIZE;
        return at + 2;
      case TRAILERS:
        return this.#trailer(bytes, at);
      default:
        this.piece = this.#small.take();
        return at;
    }
  }

  /** Small pieces gathered so far, if no more bytes are available now. */
  gathered(): Uint8Array | undefined {
    return this.#small.take();
  }

  #content(bytes: Buffer, at: number): number {
    if (at >= bytes.byteLength) return -1;
    const end = Math.min(bytes.byteLength, at + this.#remaining);
    const isGathered = this.#state === CHUNK && this.#small.add(bytes, at, end);
    if (!isGathered && this.#small.waiting) {
      this.piece = this.#small.take();
      return at;
    }
    this.#remaining -= end - at;
    if (this.#remaining === 0) this.#state = this.#state === LENGTH ? WHOLE : CHUNK_END;
    if (!isGathered) this.piece = pieceOf(bytes, at, end);
    return end;
  }

  #chunkSize(bytes: Buffer, at: number): number {
    const plain = plainChunkSize(bytes, at);
    if (plain !== undefined) return this.#beginChunk(plain.size, plain.end);
    const { line, extensionBytesMax, malformed } = this.#rules;
    const lineEnd = bytes.indexOf("\r\n", at, "latin1");
    const end = lineEnd < 0 ? bytes.byteLength : lineEnd;
    if (end - at > CHUNK_LINE_BYTES_MAX) throw malformed("a chunk's size is too long");
    if (end === at && lineEnd < 0) return -1;
    // An invalid chunk line is refused before its end arrives.
    const text = bytes.toString("latin1", at, lineEnd < 0 && bytes[end - 1] === 13 ? end - 1 : end);
    const digits = line.exec(text)?.[1];
    if (digits === undefined || MALFORMED.test(text)) throw malformed("a chunk's size cannot be read");
    if (lineEnd < 0) return -1;
    this.#extensionBytes += text.length - digits.length;
    if (this.#extensionBytes > extensionBytesMax) throw malformed("its chunks say more than their sizes");
    return this.#beginChunk(Number.parseInt(digits, 16), end);
  }

  #beginChunk(size: number, lineEnd: number): number {
    this.#remaining = size;
    this.#state = size === 0 ? TRAILERS : CHUNK;
    return lineEnd + 2;
  }

  #trailer(bytes: Buffer, at: number): number {
    const { malformed } = this.#rules;
    const end = bytes.indexOf("\r\n", at, "latin1");
    if (this.#trailerBytes + (end < 0 ? bytes.byteLength : end) - at > TRAILER_BYTES_MAX)
      throw malformed("its trailers are too large");
    if (end < 0) return -1;
    this.#trailerBytes += end - at;
    if (end === at) this.#state = WHOLE;
    else if (!isField(bytes.toString("latin1", at, end))) throw malformed("a trailer cannot be read");
    return end + 2;
  }
}
