import { Framing, isField, MALFORMED, readFields } from "./header-fields.ts";
import { plainChunkSize, SmallPieces } from "./small-pieces.ts";
import { UpstreamError } from "./upstream.ts";

/** What a parser makes of a provider's bytes. */
export interface ResponseSink {
  onInformation(status: number, headers: string[]): void;
  onHead(status: number, reason: string, headers: string[]): void;
  onData(bytes: Uint8Array): void;
  /** @param early - bytes behind the head; they belong to the other protocol. */
  onSwitch(reason: string, headers: string[], early: Uint8Array): void;
  /** The answer is whole. @param reusable - whether another request may follow on this connection. */
  onWhole(reusable: boolean): void;
}

const HEAD = 0;
const LENGTH = 1;
const CHUNK_SIZE = 2;
const CHUNK = 3;
const CHUNK_END = 4;
const TRAILERS = 5;
const UNTIL_CLOSE = 6;
const WHOLE = 7;
const IDLE = 8;

const FIELDS_MAX = 1_000;
const INFORMATION_MAX = 32;
const CHUNK_LINE_BYTES_MAX = 4_096;
const TRAILER_BYTES_MAX = 64 * 1_024;
const NOTHING = Buffer.alloc(0);

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5]\d\d|[6-9]\d\d)(?: (.*))?$/;

/**
 * HTTP/1.1 answers off a connection, one after the other. Strict where leniency would let two readers see two different
 * messages: what is not framed beyond doubt is refused, because a gateway that guesses can be made to mix up answers.
 *
 * Bytes that come while `paused` are kept, and delivered by `resume`.
 */
export class ResponseParser {
  readonly #headBytesMax: number;
  #sink: ResponseSink | undefined;
  #state = IDLE;
  #rest: Buffer | undefined;
  /** How much of `#rest` has been searched for the end of a head. */
  #searched = 0;
  #remaining = 0;
  #trailerBytes = 0;
  #bodyless = false;
  #upgrade = false;
  #keepAlive = false;
  #informations = 0;
  #running = false;
  #closed = false;
  readonly #small = new SmallPieces();
  paused = false;
  /** Whether any byte of the present answer has come. */
  started = false;

  constructor(headBytesMax: number) {
    this.#headBytesMax = headBytesMax;
  }

  /** Awaits the answer to a request. */
  expect(method: string, upgrade: boolean, sink: ResponseSink): void {
    this.#sink = sink;
    this.#state = HEAD;
    this.#rest = undefined;
    this.#small.clear();
    this.#bodyless = method === "HEAD";
    this.#upgrade = upgrade;
    this.#informations = 0;
    this.paused = false;
    this.started = false;
  }

  /** Stops; nothing is delivered any more. */
  detach(): void {
    this.#sink = undefined;
    this.#state = IDLE;
    this.#rest = undefined;
    this.#small.clear();
  }

  /** @throws UpstreamError `protocol`. */
  execute(bytes: Buffer): void {
    this.started = true;
    const rest = this.#rest;
    this.#rest = undefined;
    const all = rest === undefined ? bytes : Buffer.concat([rest, bytes]);
    if (this.#running || this.paused) this.#rest = all;
    else this.#run(all);
  }

  /** @throws UpstreamError `protocol`. */
  resume(): void {
    this.paused = false;
    if (this.#running) return;
    const rest = this.#rest ?? NOTHING;
    this.#rest = undefined;
    this.#run(rest);
  }

  /** The connection was closed by the provider, in order: that is the end of an answer without a length. */
  finish(): void {
    this.#closed = true;
    if (this.#state === UNTIL_CLOSE && !this.paused) this.#run(NOTHING);
  }

  #run(bytes: Buffer): void {
    this.#running = true;
    try {
      let at = 0;
      while (!this.paused) {
        const next = this.#step(bytes, at);
        if (next < 0) break;
        at = next;
      }
      if (at < bytes.byteLength && this.#state !== IDLE) this.#rest = at === 0 ? bytes : bytes.subarray(at);
    } finally {
      this.#passOn();
      this.#running = false;
    }
  }

  #passOn(): void {
    const bytes = this.#small.take();
    if (bytes !== undefined) this.#sink?.onData(bytes);
  }

  /** Reads one element. @returns where the next begins, or -1 where more bytes are needed. */
  #step(bytes: Buffer, at: number): number {
    switch (this.#state) {
      case HEAD:
        return this.#head(bytes, at);
      case LENGTH:
      case CHUNK:
        return this.#body(bytes, at);
      case CHUNK_SIZE:
        return this.#chunkSize(bytes, at);
      case CHUNK_END:
        if (bytes.byteLength - at < 2) return -1;
        if (bytes[at] !== 13 || bytes[at + 1] !== 10) throw malformed("a chunk has another length than it says");
        this.#state = CHUNK_SIZE;
        return at + 2;
      case TRAILERS:
        return this.#trailer(bytes, at);
      case UNTIL_CLOSE:
        if (at === bytes.byteLength) {
          if (!this.#closed) return -1;
          this.#state = WHOLE;
          return at;
        }
        this.#sink?.onData(at === 0 ? bytes : bytes.subarray(at));
        return bytes.byteLength;
      case WHOLE: {
        if (this.#small.waiting) {
          this.#passOn();
          return at;
        }
        const sink = this.#sink;
        this.detach();
        // Bytes that nobody asked for could be taken for the answer to the next request.
        sink?.onWhole(this.#keepAlive && at === bytes.byteLength);
        return -1;
      }
      default:
        return -1;
    }
  }

  #head(bytes: Buffer, at: number): number {
    const end = bytes.indexOf("\r\n\r\n", Math.max(at, this.#searched - 3), "latin1");
    if (end < 0) {
      if (bytes.byteLength - at > this.#headBytesMax) throw malformed("its head is too large");
      this.#searched = at === 0 ? bytes.byteLength : 0;
      return -1;
    }
    this.#searched = 0;
    if (end - at > this.#headBytesMax) throw malformed("its head is too large");
    const text = bytes.toString("latin1", at, end);
    if (MALFORMED.test(text)) throw malformed("its head holds control bytes");
    const lineEnd = text.indexOf("\r\n");
    const [, minor, code, reason = ""] = STATUS_LINE.exec(lineEnd < 0 ? text : text.slice(0, lineEnd)) ?? [];
    if (code === undefined) throw malformed("its status line cannot be read");
    const status = Number(code);
    const headers: string[] = [];
    const framing = lineEnd < 0 ? new Framing() : readFields(text, lineEnd + 2, headers, malformed);
    if (headers.length > FIELDS_MAX * 2) throw malformed("it has too many header fields");
    const next = end + 4;
    if (status < 200) return this.#information(status, reason, headers, bytes, next);
    this.#frame(status, minor === "0", framing);
    this.#sink?.onHead(status, reason, headers);
    return next;
  }

  #information(status: number, reason: string, headers: string[], bytes: Buffer, next: number): number {
    if (status === 101) {
      if (!this.#upgrade) throw malformed("it switched protocols without being asked");
      const sink = this.#sink;
      this.detach();
      sink?.onSwitch(reason, headers, bytes.subarray(next));
      return -1;
    }
    if (++this.#informations > INFORMATION_MAX) throw malformed("it sends interim answers without end");
    this.#sink?.onInformation(status, headers);
    return next;
  }

  /** RFC 9112 §6.3. */
  #frame(status: number, old: boolean, { length, chunked, encoded, close }: Framing): void {
    if (encoded && (!chunked || length !== undefined || old))
      throw malformed("its body has no framing that is beyond doubt");
    this.#keepAlive = !old && !close;
    if (this.#bodyless || status === 204 || status === 304) this.#state = WHOLE;
    else if (chunked) this.#state = CHUNK_SIZE;
    else if (length !== undefined) {
      this.#remaining = length;
      this.#state = length === 0 ? WHOLE : LENGTH;
    } else {
      this.#keepAlive = false;
      this.#state = UNTIL_CLOSE;
    }
  }

  #body(bytes: Buffer, at: number): number {
    if (at === bytes.byteLength) return -1;
    const end = Math.min(bytes.byteLength, at + this.#remaining);
    const isGathered = this.#state === CHUNK && this.#small.add(bytes, at, end);
    if (!isGathered && this.#small.waiting) {
      this.#passOn();
      return at;
    }
    this.#remaining -= end - at;
    if (this.#remaining === 0) this.#state = this.#state === LENGTH ? WHOLE : CHUNK_END;
    if (!isGathered) this.#sink?.onData(at === 0 && end === bytes.byteLength ? bytes : bytes.subarray(at, end));
    return end;
  }

  #chunkSize(bytes: Buffer, at: number): number {
    const plain = plainChunkSize(bytes, at);
    if (plain !== undefined) {
      this.#remaining = plain.size;
      this.#trailerBytes = 0;
      this.#state = plain.size === 0 ? TRAILERS : CHUNK;
      return plain.end + 2;
    }
    const end = bytes.indexOf("\r\n", at, "latin1");
    if (end < 0 || end - at > CHUNK_LINE_BYTES_MAX) {
      if (bytes.byteLength - at > CHUNK_LINE_BYTES_MAX) throw malformed("a chunk's size is too long");
      return -1;
    }
    const line = bytes.toString("latin1", at, end);
    const [, digits] = /^([0-9a-fA-F]{1,12})[ \t]*(?:;.*)?$/.exec(line) ?? [];
    if (digits === undefined || MALFORMED.test(line)) throw malformed("a chunk's size cannot be read");
    this.#remaining = Number.parseInt(digits, 16);
    this.#trailerBytes = 0;
    this.#state = this.#remaining === 0 ? TRAILERS : CHUNK;
    return end + 2;
  }

  /** Trailers are read for their framing and dropped. */
  #trailer(bytes: Buffer, at: number): number {
    const end = bytes.indexOf("\r\n", at, "latin1");
    if (this.#trailerBytes + (end < 0 ? bytes.byteLength : end) - at > TRAILER_BYTES_MAX)
      throw malformed("its trailers are too large");
    if (end < 0) return -1;
    this.#trailerBytes += end - at;
    if (end === at) this.#state = WHOLE;
    else {
      if (!isField(bytes.toString("latin1", at, end))) throw malformed("a trailer cannot be read");
    }
    return end + 2;
  }
}

function malformed(why: string): UpstreamError {
  return new UpstreamError("protocol", `the provider's answer is not well-formed HTTP: ${why}`);
}
