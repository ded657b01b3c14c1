import { METHODS } from "node:http";
import { Framing, isField, MALFORMED, readFields } from "./header-fields.ts";
import type { RequestFault } from "./server.ts";
import { plainChunkSize, SmallPieces } from "./small-pieces.ts";

/** A request's head. */
export interface RequestHead {
  readonly method: string;
  readonly url: string;
  readonly old: boolean;
  readonly headers: readonly string[];
  readonly framing: Framing;
}

/** What a parser makes of a client's bytes. */
export interface RequestSink {
  onHead(head: RequestHead): void;
  onData(bytes: Uint8Array): void;
  /** The request is whole; the next one is not read before `next` is called. */
  onWhole(): void;
}

const HEAD = 0;
const LENGTH = 1;
const CHUNK_SIZE = 2;
const CHUNK = 3;
const CHUNK_END = 4;
const TRAILERS = 5;
const WHOLE = 6;
const WAITING = 7;
const STOPPED = 8;

const FIELDS_MAX = 200;
const CHUNK_LINE_BYTES_MAX = 4_096;
/** Of all chunk lines of a body beyond their sizes: what they may hold is dropped, so nobody has a use for much of it. */
const EXTENSION_BYTES_MAX = 64 * 1_024;
const TRAILER_BYTES_MAX = 64 * 1_024;
/** Empty lines before a request that are passed over: some clients end a body with one. */
const EMPTY_LINES_MAX = 4;
const NOTHING = Buffer.alloc(0);

const KNOWN_METHODS: ReadonlySet<string> = new Set(METHODS.filter((method) => method !== "CONNECT"));
const REQUEST_LINE = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+) (.+) HTTP\/1\.([01])$/;
const URI_BYTES = /^[\x21-\x7e]+$/;
/** How a request may begin: with a method, or an empty line. */
const FIRST_BYTES = /^(?:\r\n?|[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?: |$))/;
const CHUNK_LINE = /^([0-9a-fA-F]{1,12})(?:;.*)?$/;
const SIZE_BEGUN = /^[0-9a-fA-F]{1,12}(?:;.*)?\r?$/;

/** Bytes that are no request which can be served; the connection cannot go on behind them. */
export class MalformedRequest extends Error {
  readonly fault: RequestFault;

  constructor(fault: RequestFault, why: string) {
    super(`not well-formed HTTP: ${why}`);
    this.name = "MalformedRequest";
    this.fault = fault;
  }
}

/**
 * HTTP/1.1 requests off a connection, one after the other. Strict where leniency would let two readers see two different
 * messages: what is not framed beyond doubt is refused, because that is how one client's request is smuggled into
 * another's connection.
 *
 * Bytes that come while it is held are kept, and read by `resume`; those behind a whole request by `next`.
 */
export class RequestParser {
  readonly #headBytesMax: number;
  readonly #sink: RequestSink;
  #state = HEAD;
  /** What has come, read up to `#at`. */
  #bytes: Buffer | undefined;
  #at = 0;
  /** How much of `#bytes` has been searched for the end of a head. */
  #searched = 0;
  #remaining = 0;
  #extensionBytes = 0;
  #trailerBytes = 0;
  #emptyLines = 0;
  #running = false;
  readonly #small = new SmallPieces();
  /** Set while nobody takes the body. */
  held = false;

  constructor(headBytesMax: number, sink: RequestSink) {
    this.#headBytesMax = headBytesMax;
    this.#sink = sink;
  }

  /** Whether a request has begun to come whose head is not there yet. */
  get inHead(): boolean {
    return this.#state === HEAD && this.#bytes !== undefined;
  }

  /** Whether it is reading what has come at this moment: the caller is one that it called. */
  get running(): boolean {
    return this.#running;
  }

  /** Bytes that have come and are not read yet. */
  get waitingBytes(): number {
    return this.#bytes === undefined ? 0 : this.#bytes.byteLength - this.#at;
  }

  /** @throws MalformedRequest. */
  execute(bytes: Buffer): void {
    if (this.#bytes === undefined) this.#bytes = bytes;
    else {
      this.#bytes = Buffer.concat([this.#unread(), bytes]);
      this.#searched = Math.max(0, this.#searched - this.#at);
      this.#at = 0;
    }
    this.#run();
  }

  /** @throws MalformedRequest. */
  resume(): void {
    this.held = false;
    this.#run();
  }

  /** The answer to the present request is out: reads the next one. @throws MalformedRequest. */
  next(): void {
    if (this.#state === WAITING) this.#state = HEAD;
    this.#run();
  }

  /** Stops for good. @returns what has come and was not read. */
  detach(): Buffer {
    const unread = this.#unread();
    this.#bytes = undefined;
    this.#at = 0;
    this.#state = STOPPED;
    this.#small.clear();
    return unread;
  }

  #unread(): Buffer {
    if (this.#bytes === undefined) return NOTHING;
    return this.#at === 0 ? this.#bytes : this.#bytes.subarray(this.#at);
  }

  /** Not while it runs already: what a callback asks for is seen when it returns. */
  #run(): void {
    if (this.#running) return;
    this.#running = true;
    try {
      while (!this.held && this.#step(this.#bytes ?? NOTHING, this.#at)) {
        if (this.#bytes === undefined || this.#at < this.#bytes.byteLength) continue;
        this.#bytes = undefined;
        this.#at = 0;
        this.#searched = 0;
      }
    } finally {
      this.#passOn();
      this.#running = false;
    }
  }

  #passOn(): void {
    const bytes = this.#small.take();
    if (bytes !== undefined) this.#sink.onData(bytes);
  }

  /** Reads one element, and moves behind it before anybody is told of it. @returns false where more must come first. */
  #step(bytes: Buffer, at: number): boolean {
    switch (this.#state) {
      case HEAD:
        return this.#head(bytes, at);
      case LENGTH:
      case CHUNK:
        return this.#body(bytes, at);
      case CHUNK_SIZE:
        return this.#chunkSize(bytes, at);
      case CHUNK_END:
        if (bytes.byteLength - at < 2) return false;
        if (bytes[at] !== 13 || bytes[at + 1] !== 10) throw malformed("a chunk has another length than it says");
        this.#state = CHUNK_SIZE;
        this.#at = at + 2;
        return true;
      case TRAILERS:
        return this.#trailer(bytes, at);
      case WHOLE:
        if (this.#small.waiting) {
          this.#passOn();
          return true;
        }
        this.#state = WAITING;
        this.#sink.onWhole();
        return true;
      default:
        return false;
    }
  }

  #head(bytes: Buffer, at: number): boolean {
    if (bytes[at] === 13 && bytes[at + 1] === 10) {
      if (++this.#emptyLines > EMPTY_LINES_MAX) throw malformed("there are only line ends");
      this.#at = at + 2;
      return true;
    }
    const end = bytes.indexOf("\r\n\r\n", Math.max(at, this.#searched - 3), "latin1");
    const length = (end < 0 ? bytes.byteLength : end) - at;
    if (length > this.#headBytesMax) throw new MalformedRequest("size", "its head is too large");
    if (end < 0) {
      if (length > 0) this.#checkBegun(bytes, at);
      this.#searched = bytes.byteLength;
      return false;
    }
    const text = bytes.toString("latin1", at, end);
    const lineEnd = text.indexOf("\r\n");
    const line = lineEnd < 0 ? text : text.slice(0, lineEnd);
    const { method, url, old } = readLine(line);
    if (MALFORMED.test(text)) throw malformed("its head holds control bytes");
    const headers: string[] = [];
    const framing = lineEnd < 0 ? new Framing() : readFields(text, lineEnd + 2, headers, malformed);
    if (headers.length > FIELDS_MAX * 2) throw new MalformedRequest("size", "it has too many header fields");
    this.#at = end + 4;
    this.#searched = 0;
    this.#emptyLines = 0;
    this.#frame(old, framing);
    this.#sink.onHead({ method, url, old, headers, framing });
    return true;
  }

  /** What cannot become a request is not waited for: looks at what has come since it was looked at last. */
  #checkBegun(bytes: Buffer, at: number): void {
    if (!FIRST_BYTES.test(bytes.toString("latin1", at, Math.min(at + 16, bytes.byteLength))))
      throw malformed("it does not begin like a request");
    const seen = Math.max(at, this.#searched);
    const from = seen > at && bytes[seen - 1] === 13 ? seen - 1 : seen;
    const lineEnd = bytes.indexOf("\r\n", from, "latin1");
    if (lineEnd >= 0 && bytes.indexOf("\r\n", at, "latin1") === lineEnd)
      readLine(bytes.toString("latin1", at, lineEnd));
    const to = bytes[bytes.byteLength - 1] === 13 ? bytes.byteLength - 1 : bytes.byteLength;
    if (MALFORMED.test(bytes.toString("latin1", from, to))) throw malformed("its head holds control bytes");
  }

  /** RFC 9112 §6.3; what it allows a server to repair is refused. */
  #frame(old: boolean, { length, chunked, encoded }: Framing): void {
    if (encoded && (!chunked || length !== undefined || old))
      throw malformed("its body has no framing that is beyond doubt");
    this.#extensionBytes = 0;
    this.#trailerBytes = 0;
    this.#remaining = length ?? 0;
    this.#state = chunked ? CHUNK_SIZE : this.#remaining > 0 ? LENGTH : WHOLE;
  }

  #body(bytes: Buffer, at: number): boolean {
    if (at >= bytes.byteLength) return false;
    const end = Math.min(bytes.byteLength, at + this.#remaining);
    const isGathered = this.#state === CHUNK && this.#small.add(bytes, at, end);
    if (!isGathered && this.#small.waiting) {
      this.#passOn();
      return true;
    }
    this.#remaining -= end - at;
    if (this.#remaining === 0) this.#state = this.#state === LENGTH ? WHOLE : CHUNK_END;
    this.#at = end;
    if (!isGathered) this.#sink.onData(at === 0 && end === bytes.byteLength ? bytes : bytes.subarray(at, end));
    return true;
  }

  #chunkSize(bytes: Buffer, at: number): boolean {
    const plain = plainChunkSize(bytes, at);
    if (plain !== undefined) {
      this.#remaining = plain.size;
      this.#state = plain.size === 0 ? TRAILERS : CHUNK;
      this.#at = plain.end + 2;
      return true;
    }
    const end = bytes.indexOf("\r\n", at, "latin1");
    if ((end < 0 ? bytes.byteLength : end) - at > CHUNK_LINE_BYTES_MAX) throw malformed("a chunk's size is too long");
    if (end < 0) {
      if (bytes.byteLength > at && !SIZE_BEGUN.test(bytes.toString("latin1", at, bytes.byteLength)))
        throw malformed("a chunk's size cannot be read");
      return false;
    }
    const line = bytes.toString("latin1", at, end);
    const digits = CHUNK_LINE.exec(line)?.[1];
    if (digits === undefined || MALFORMED.test(line)) throw malformed("a chunk's size cannot be read");
    this.#extensionBytes += line.length - digits.length;
    if (this.#extensionBytes > EXTENSION_BYTES_MAX) throw malformed("its chunks say more than their sizes");
    this.#remaining = Number.parseInt(digits, 16);
    this.#state = this.#remaining === 0 ? TRAILERS : CHUNK;
    this.#at = end + 2;
    return true;
  }

  /** Trailers are read for their framing and dropped. */
  #trailer(bytes: Buffer, at: number): boolean {
    const end = bytes.indexOf("\r\n", at, "latin1");
    if (this.#trailerBytes + (end < 0 ? bytes.byteLength : end) - at > TRAILER_BYTES_MAX)
      throw malformed("its trailers are too large");
    if (end < 0) return false;
    this.#trailerBytes += end - at;
    if (end === at) this.#state = WHOLE;
    else if (!isField(bytes.toString("latin1", at, end))) throw malformed("a trailer cannot be read");
    this.#at = end + 2;
    return true;
  }
}

function readLine(line: string): Pick<RequestHead, "method" | "url" | "old"> {
  const [, method, url, minor] = REQUEST_LINE.exec(line) ?? [];
  if (method === undefined || url === undefined) throw malformed("its first line cannot be read");
  if (!KNOWN_METHODS.has(method)) throw new MalformedRequest("method", "its method is not known");
  if (!URI_BYTES.test(url)) throw new MalformedRequest(url.startsWith("/") ? "path" : "malformed", "no URI");
  return { method, url, old: minor === "0" };
}

function malformed(why: string): MalformedRequest {
  return new MalformedRequest("malformed", why);
}
