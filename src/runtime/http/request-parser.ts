import { METHODS } from "node:http";
import { BodyReader, type ChunkRules } from "./body-reader.ts";
import { BARE_LINE_END, CONTROL, FieldReader, Framing, HEAD_END, MALFORMED } from "./header-fields.ts";
import type { RequestFault } from "./server.ts";

/** A request's head. */
export interface RequestHead {
  readonly method: string;
  /** As sent. If it holds bytes not allowed in a URI, `framing` says that the connection closes after it. */
  readonly url: string;
  readonly old: boolean;
  readonly headers: readonly string[];
  readonly framing: Framing;
}

/** Receives the result of parsing a client's bytes. */
export interface RequestSink {
  onHead(head: RequestHead): void;
  onData(bytes: Uint8Array): void;
  /** The request is complete; the next one is not read before `next` is called. */
  onWhole(): void;
}

const HEAD = 0;
const BODY = 1;
const WAITING = 2;
const STOPPED = 3;

const FIELDS_MAX = 200;
/** Maximum empty lines skipped before a request: some clients end a body with one. */
const EMPTY_LINES_MAX = 4;
const NOTHING = Buffer.alloc(0);

const KNOWN_METHODS: ReadonlySet<string> = new Set(METHODS.filter((method) => method !== "CONNECT"));
const REQUEST_LINE = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+ .+ HTTP\/1\.[01](?:\r\n|$)/;
const VERSION_LENGTH = " HTTP/1.1".length;
const URI_BYTES = /^[\x21-\x7e]+$/;
/** How a request may begin: with a method, or an empty line. */
const FIRST_BYTES = /^(?:\r\n?|[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?: |$))/;
const CHUNKS: ChunkRules = {
  line: /^([0-9a-fA-F]{1,12})(?:;.*)?$/,
  // Extensions are dropped, so long ones are useless.
  extensionBytesMax: 64 * 1_024,
  malformed,
};

const FIELDS = new FieldReader(malformed);

/** A request that cannot be served; the connection cannot continue after it. */
export class MalformedRequest extends Error {
  readonly fault: RequestFault;
  readonly why: string;

  constructor(fault: RequestFault, why: string) {
    super(`not well-formed HTTP: ${why}`);
    this.name = "MalformedRequest";
    this.fault = fault;
    this.why = why;
  }
}

/**
 * Parses HTTP/1.1 requests from a connection, one after the other. It is strict where leniency would let two readers see two
 * different messages: ambiguous framing is refused, because it allows request smuggling.
 *
 * Bytes that arrive while it is held are kept and read by `resume`; those after a complete request by `next`.
 */
export class RequestParser {
  readonly #headBytesMax: number;
  readonly #sink: RequestSink;
  #state = HEAD;
  /** Received bytes, read up to `#at`. */
  #bytes: Buffer | undefined;
  #at = 0;
  /** How much of `#bytes` has been searched for the end of a head. */
  #searched = 0;
  #emptyLines = 0;
  #running = false;
  readonly #body = new BodyReader(CHUNKS);
  /** Set while the body has no reader. */
  held = false;

  constructor(headBytesMax: number, sink: RequestSink) {
    this.#headBytesMax = headBytesMax;
    this.#sink = sink;
  }

  /** Whether a head has been received in part. */
  get inHead(): boolean {
    return this.#state === HEAD && this.#bytes !== undefined;
  }

  /** Whether it is parsing right now: the caller is one of its own callbacks. */
  get running(): boolean {
    return this.#running;
  }

  /** Received bytes that are not read yet. */
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

  /** The response to the current request is complete: reads the next request. @throws MalformedRequest. */
  next(): void {
    if (this.#state === WAITING) this.#state = HEAD;
    this.#run();
  }

  /** Stops permanently. @returns the unread bytes. */
  detach(): Buffer {
    const unread = this.#unread();
    this.#bytes = undefined;
    this.#at = 0;
    this.#state = STOPPED;
    this.#body.stop();
    return unread;
  }

  #unread(): Buffer {
    if (this.#bytes === undefined) return NOTHING;
    return this.#at === 0 ? this.#bytes : this.#bytes.subarray(this.#at);
  }

  /** Does nothing while running: changes made by a callback take effect when it returns. */
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
      const gathered = this.#body.gathered();
      if (gathered !== undefined) this.#sink.onData(gathered);
      this.#running = false;
    }
  }

  /** Reads one element, and moves past it before the event is emitted. @returns false if more bytes are needed. */
  #step(bytes: Buffer, at: number): boolean {
    if (this.#state === HEAD) return this.#head(bytes, at);
    if (this.#state !== BODY) return false;
    if (this.#body.whole) {
      this.#state = WAITING;
      this.#sink.onWhole();
      return true;
    }
    const next = this.#body.read(bytes, at);
    if (next < 0) return false;
    this.#at = next;
    const { piece } = this.#body;
    if (piece !== undefined) this.#sink.onData(piece);
    return true;
  }

  #head(bytes: Buffer, at: number): boolean {
    if (bytes[at] === 13 && bytes[at + 1] === 10) {
      if (++this.#emptyLines > EMPTY_LINES_MAX) throw malformed("there are only line ends");
      this.#at = at + 2;
      return true;
    }
    const end = bytes.indexOf(HEAD_END, Math.max(at, this.#searched - 3));
    const length = (end < 0 ? bytes.byteLength : end) - at;
    if (length > this.#headBytesMax) throw new MalformedRequest("size", "its head is too large");
    if (end < 0) {
      if (length > 0) this.#checkBegun(bytes, at);
      this.#searched = bytes.byteLength;
      return false;
    }
    const text = bytes.toString("latin1", at, end);
    const found = text.indexOf("\r\n");
    const lineEnd = found < 0 ? text.length : found;
    const method = readMethod(text);
    const url = readTarget(text, method.length + 1, lineEnd);
    const old = text.charCodeAt(lineEnd - 1) === ZERO;
    // Those in the target are refused by the request's handler.
    if (CONTROL.test(text) && CONTROL.test(text.slice(lineEnd))) throw malformed("its head holds control bytes");
    const headers: string[] = [];
    const framing = found < 0 ? new Framing() : FIELDS.read(text, lineEnd + 2, headers);
    if (headers.length > FIELDS_MAX * 2) throw new MalformedRequest("size", "it has too many header fields");
    this.#at = end + 4;
    this.#searched = 0;
    this.#emptyLines = 0;
    this.#frame(old, framing);
    framing.close ||= !URI_BYTES.test(url);
    this.#sink.onHead({ method, url, old, headers, framing });
    return true;
  }

  /** Refuses an invalid beginning without waiting for more; checks only bytes received since the last check. */
  #checkBegun(bytes: Buffer, at: number): void {
    if (!FIRST_BYTES.test(bytes.toString("latin1", at, Math.min(at + 16, bytes.byteLength))))
      throw malformed("it does not begin like a request");
    const seen = Math.max(at, this.#searched);
    const from = seen > at && bytes[seen - 1] === 13 ? seen - 1 : seen;
    const lineEnd = bytes.indexOf("\r\n", at, "latin1");
    if (lineEnd >= from) checkLine(bytes.toString("latin1", at, lineEnd));
    const to = bytes[bytes.byteLength - 1] === 13 ? bytes.byteLength - 1 : bytes.byteLength;
    const fresh = bytes.toString("latin1", from, to);
    const ofLine = lineEnd < 0 ? fresh.length : Math.max(0, lineEnd - from);
    if (BARE_LINE_END.test(fresh.slice(0, ofLine)) || MALFORMED.test(fresh.slice(ofLine)))
      throw malformed("its head holds control bytes");
  }

  /** RFC 9112 §6.3; repairs that it allows a server are refused instead. */
  #frame(old: boolean, framing: Framing): void {
    if (framing.encoded && (!framing.chunked || framing.length !== undefined || old))
      throw malformed("Content-Length and Transfer-Encoding leave the length of its body unclear");
    this.#body.begin(framing);
    this.#state = BODY;
  }
}

/** Reads the method of a head, and checks the form of its first line. */
function readMethod(text: string): string {
  if (!REQUEST_LINE.test(text)) throw malformed("its first line cannot be read");
  // Without a look-up for the usual method: a part of a text must be copied and hashed for it.
  if (text.startsWith("POST ")) return "POST";
  const method = text.slice(0, text.indexOf(" "));
  if (!KNOWN_METHODS.has(method)) throw new MalformedRequest("method", "its method is not known");
  return method;
}

function readTarget(text: string, start: number, lineEnd: number): string {
  const url = text.slice(start, lineEnd - VERSION_LENGTH);
  if (!url.startsWith("/") && !URI_BYTES.test(url)) throw malformed("its target is no URI");
  return url;
}

function checkLine(line: string): void {
  readTarget(line, readMethod(line).length + 1, line.length);
}

const ZERO = 0x30;

function malformed(why: string): MalformedRequest {
  return new MalformedRequest("malformed", why);
}
