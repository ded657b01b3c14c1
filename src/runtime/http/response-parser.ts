import { BodyReader, type ChunkRules } from "./body-reader.ts";
import { CONTROL, FieldReader, Framing, HEAD_END } from "./header-fields.ts";
import { UpstreamError } from "./upstream.ts";

/** Receives the result of parsing a provider's bytes. */
export interface ResponseSink {
  onInformation(status: number, headers: string[]): void;
  onHead(status: number, reason: string, headers: string[]): void;
  onData(bytes: Uint8Array): void;
  /** @param early - bytes after the head; they belong to the other protocol. */
  onSwitch(reason: string, headers: string[], early: Uint8Array): void;
  /** The response is complete. @param reusable - whether another request may follow on this connection. */
  onWhole(reusable: boolean): void;
}

const HEAD = 0;
const BODY = 1;
const UNTIL_CLOSE = 2;
const IDLE = 3;

const FIELDS_MAX = 1_000;
const INFORMATION_MAX = 32;
const NOTHING = Buffer.alloc(0);
const NO_BODY = new Framing();

const CHUNKS: ChunkRules = {
  // Some servers pad a size with blanks.
  line: /^([0-9a-fA-F]{1,12})[ \t]*(?:;.*)?$/,
  extensionBytesMax: Number.POSITIVE_INFINITY,
  malformed,
};
const FIELDS = new FieldReader(malformed);
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: (.*))?$/;
const STATUS_LINE_LENGTH_MAX = 64;
const HEAD_BEGIN = Buffer.from("HTTP/1.");
const LF = 0x0a;
const CR = 0x0d;

interface StatusLine {
  readonly text: string;
  readonly status: number;
  readonly reason: string;
  readonly old: boolean;
}

/** The last one that was read: most are the same. */
let usual: StatusLine | undefined;

/**
 * Parses HTTP/1.1 responses from a connection, one after the other. It is strict where leniency would let two readers see
 * two different messages: ambiguous framing is refused, because a gateway that guesses can be made to mix up responses.
 *
 * Bytes that arrive while `paused` are kept, and delivered by `resume`.
 */
export class ResponseParser {
  readonly #headBytesMax: number;
  #sink: ResponseSink | undefined;
  #state = IDLE;
  #rest: Buffer | undefined;
  /** How much of `#rest` has been searched for the end of a head. */
  #searched = 0;
  #bodyless = false;
  #upgrade = false;
  #keepAlive = false;
  #informations = 0;
  #running = false;
  #closed = false;
  readonly #body = new BodyReader(CHUNKS);
  paused = false;
  /** Whether any byte of the current response has arrived. */
  started = false;

  constructor(headBytesMax: number) {
    this.#headBytesMax = headBytesMax;
  }

  /** Expects the response to a request. */
  expect(method: string, upgrade: boolean, sink: ResponseSink): void {
    this.#sink = sink;
    this.#state = HEAD;
    this.#rest = undefined;
    this.#body.stop();
    this.#bodyless = method === "HEAD";
    this.#upgrade = upgrade;
    this.#informations = 0;
    this.paused = false;
    this.started = false;
  }

  /** Stops; nothing more is delivered. */
  detach(): void {
    this.#sink = undefined;
    this.#state = IDLE;
    this.#rest = undefined;
    this.#body.stop();
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

  /** The provider closed the connection normally: this ends a response without a length. */
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
      const gathered = this.#body.gathered();
      if (gathered !== undefined) this.#sink?.onData(gathered);
      this.#running = false;
    }
  }

  /** Reads one element. @returns where the next begins, or -1 if more bytes are needed. */
  #step(bytes: Buffer, at: number): number {
    switch (this.#state) {
      case HEAD:
        return this.#head(bytes, at);
      case BODY: {
        if (this.#body.whole) return this.#whole(at === bytes.byteLength);
        const next = this.#body.read(bytes, at);
        if (this.#body.piece !== undefined) this.#sink?.onData(this.#body.piece);
        return next;
      }
      case UNTIL_CLOSE:
        if (at === bytes.byteLength) return this.#closed ? this.#whole(true) : -1;
        this.#sink?.onData(at === 0 ? bytes : bytes.subarray(at));
        return bytes.byteLength;
      default:
        return -1;
    }
  }

  /** @param nothingBehind - whether no bytes follow: surplus bytes could be taken for the response to the next request. */
  #whole(nothingBehind: boolean): number {
    const sink = this.#sink;
    this.detach();
    sink?.onWhole(this.#keepAlive && nothingBehind);
    return -1;
  }

  #head(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(HEAD_END, Math.max(at, this.#searched - 3));
    if (end < 0) {
      if (bytes.byteLength - at > this.#headBytesMax) throw malformed("its head is too large");
      checkUnfinishedHead(bytes, at, Math.max(at, this.#searched));
      this.#searched = at === 0 ? bytes.byteLength : 0;
      return -1;
    }
    this.#searched = 0;
    if (end - at > this.#headBytesMax) throw malformed("its head is too large");
    const text = bytes.toString("latin1", at, end);
    if (CONTROL.test(text)) throw malformed("its head holds control bytes");
    const { status, reason, old, text: line } = readStatusLine(text);
    const headers: string[] = [];
    const framing = line.length === text.length ? new Framing() : FIELDS.read(text, line.length + 2, headers);
    if (headers.length > FIELDS_MAX * 2) throw malformed("it has too many header fields");
    const next = end + 4;
    if (status === 101) return this.#switch(reason, headers, bytes.subarray(next));
    if (status < 200) {
      this.#information(status, headers);
      return next;
    }
    this.#frame(status, old, framing);
    this.#sink?.onHead(status, reason, headers);
    return next;
  }

  #switch(reason: string, headers: string[], early: Buffer): number {
    if (!this.#upgrade) throw malformed("it switched protocols without a request for that");
    const sink = this.#sink;
    this.detach();
    sink?.onSwitch(reason, headers, early);
    return -1;
  }

  #information(status: number, headers: string[]): void {
    if (++this.#informations > INFORMATION_MAX) throw malformed("it sends interim responses without end");
    this.#sink?.onInformation(status, headers);
  }

  /** RFC 9112 §6.3. */
  #frame(status: number, old: boolean, framing: Framing): void {
    const { length, chunked, encoded, close } = framing;
    if (encoded && (!chunked || length !== undefined || old))
      throw malformed("Content-Length and Transfer-Encoding leave the length of its body unclear");
    const isBodyless = this.#bodyless || status === 204 || status === 304;
    const isUntilClose = !isBodyless && !chunked && length === undefined;
    this.#keepAlive = !old && !close && !isUntilClose;
    this.#state = isUntilClose ? UNTIL_CLOSE : BODY;
    this.#body.begin(isBodyless ? NO_BODY : framing);
  }
}

/**
 * Refuses a head that no further byte can make valid, such as the greeting of another protocol or lines that end with LF
 * alone. The client would otherwise wait for the timeout.
 *
 * @param unread - where the bytes begin that have not been checked.
 */
function checkUnfinishedHead(bytes: Buffer, at: number, unread: number): void {
  const known = Math.min(HEAD_BEGIN.byteLength, bytes.byteLength - at);
  if (bytes.compare(HEAD_BEGIN, 0, known, at, at + known) !== 0) throw malformed("it does not begin with HTTP/1");
  for (let lf = bytes.indexOf(LF, unread); lf >= 0; lf = bytes.indexOf(LF, lf + 1)) {
    if (bytes[lf - 1] !== CR) throw malformed("a line of its head does not end with CR LF");
  }
}

/** Reads the first line of a head. */
function readStatusLine(text: string): StatusLine {
  if (usual !== undefined && text.startsWith(usual.text) && text.startsWith("\r\n", usual.text.length)) return usual;
  const lineEnd = text.indexOf("\r\n");
  // Copies: a substring would keep the entire head in memory.
  const line = Buffer.from(lineEnd < 0 ? text : text.slice(0, lineEnd), "latin1").toString("latin1");
  const [, minor, code, reason = ""] = STATUS_LINE.exec(line) ?? [];
  if (code === undefined) throw malformed("its status line cannot be read");
  const read = { text: line, status: Number(code), reason, old: minor === "0" };
  if (line.length <= STATUS_LINE_LENGTH_MAX) usual = read;
  return read;
}

function malformed(why: string): UpstreamError {
  return new UpstreamError("protocol", `the provider's response is not well-formed HTTP: ${why}`);
}
