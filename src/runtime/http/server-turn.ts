import { readLength } from "./length.ts";
import { lineStart } from "./line-start.ts";
import type { RequestHead } from "./request-parser.ts";
import type { BodySink, IncomingRequest, ServerResponse } from "./server.ts";
import type { ByteSocket } from "./sockets.ts";
import { writeJoined } from "./write-joined.ts";

/** Allowed characters of a header value or reason phrase; others could be read as another line. */
const SAFE = /^[\t\x20-\x7e\x80-\xff]*$/;
const UNSAFE = /[^\t\x20-\x7e\x80-\xff]/g;
const LAST_CHUNK = "0\r\n\r\n";
const PROBE = Buffer.from("HTTP/1.1 102 Processing\r\n\r\n");
const CONTINUE = Buffer.from("HTTP/1.1 100 Continue\r\n\r\n");

/** The connection as a turn uses it. */
export interface TurnConnection {
  readonly socket: ByteSocket;
  readonly closing: boolean;
  read(turn: Turn, sink: BodySink): void;
  pause(turn: Turn): void;
  resume(turn: Turn): void;
  responded(turn: Turn): void;
}

/** One request on a connection, and the response to it. */
export class Turn implements IncomingRequest, ServerResponse {
  readonly method: string;
  readonly url: string;
  readonly old: boolean;
  readonly rawHeaders: readonly string[];
  /** The client asks for a WebSocket. */
  readonly upgrade: boolean;
  /** Whether another request may follow on the connection. */
  persistent: boolean;
  waitsForContinue: boolean;
  /** The complete response has been handed to the socket. */
  ended = false;
  readonly #connection: TurnConnection;
  /** A head not sent yet; it leaves with the first bytes of the body. */
  #head: string | undefined;
  /** Bytes of the response have been handed to the socket. */
  underWay = false;
  #chunked = false;
  #bodyless = false;
  /** Body bytes that the head declared and that are still missing; infinite if it declared no length. */
  #owed = Number.POSITIVE_INFINITY;
  #onClose: (() => void) | undefined;
  #onDrain: (() => void) | undefined;

  constructor(connection: TurnConnection, { method, url, old, headers, framing }: RequestHead) {
    this.#connection = connection;
    this.method = method;
    this.url = url;
    this.old = old;
    this.rawHeaders = headers;
    this.persistent = !old && !framing.close;
    this.waitsForContinue = !old && framing.expects;
    this.upgrade = framing.webSocket && framing.switching && !old;
  }

  get address(): string | undefined {
    return this.#connection.socket.remoteAddress;
  }

  sendContinue(): void {
    if (!this.waitsForContinue || this.ended) return;
    this.waitsForContinue = false;
    this.#connection.socket.write(CONTINUE);
  }

  read(sink: BodySink): void {
    this.#connection.read(this, sink);
  }

  pause(): void {
    this.#connection.pause(this);
  }

  resume(): void {
    this.#connection.resume(this);
  }

  head(status: number, reason: string, headers: readonly string[]): void {
    let text = `HTTP/1.1 ${status} ${safe(reason)}`;
    let length: number | undefined;
    let saysClose = false;
    for (let at = 0; at < headers.length; at += 2) {
      const name = headers[at]!;
      const value = headers[at + 1]!;
      // Only the server sets the framing, once: a second such header would split the message in two.
      if (name.length === 17 && name.toLowerCase() === "transfer-encoding") continue;
      if (name.length === 14 && name.toLowerCase() === "content-length") {
        if (length !== undefined) continue;
        length = readLength(value) ?? Number(value);
      } else if (name.length === 10 && name.toLowerCase() === "connection") saysClose = true;
      text = `${text}${lineStart(name)}${safe(value)}`;
    }
    this.#bodyless = this.method === "HEAD" || status === 204 || status === 304;
    if (!this.#bodyless) {
      this.#chunked = length === undefined && !this.old;
      if (this.#chunked) text += "\r\nTransfer-Encoding: chunked";
      else if (length !== undefined) this.#owed = length;
    }
    // A client that waits for a 100 may or may not send its body: the next bytes are ambiguous.
    if (saysClose || this.waitsForContinue || this.#connection.closing) this.persistent = false;
    if (!this.persistent && !saysClose) text += "\r\nConnection: close";
    this.#head = `${text}\r\n\r\n`;
  }

  flush(): void {
    if (this.#head !== undefined && !this.ended) this.#send("", EMPTY, "");
  }

  write(bytes: Uint8Array): boolean {
    if (this.ended) return true;
    if (this.#bodyless || bytes.byteLength === 0) return true;
    this.#owed -= bytes.byteLength;
    if (this.#owed < 0) {
      this.destroy();
      return true;
    }
    return this.#chunked
      ? this.#send(`${bytes.byteLength.toString(16)}\r\n`, bytes, "\r\n")
      : this.#send("", bytes, "");
  }

  end(bytes: Uint8Array = EMPTY): void {
    if (this.ended) return;
    const body = this.#bodyless ? EMPTY : bytes;
    this.#owed -= body.byteLength;
    this.ended = true;
    // A response with a wrong length would be mistaken for part of the next one.
    if (this.#owed !== 0 && this.#owed !== Number.POSITIVE_INFINITY) {
      this.destroy();
      return;
    }
    if (!this.#chunked) this.#send("", body, "");
    else if (body.byteLength === 0) this.#send("", EMPTY, LAST_CHUNK);
    else this.#send(`${body.byteLength.toString(16)}\r\n`, body, `\r\n${LAST_CHUNK}`);
    this.#connection.responded(this);
  }

  /** Aborts the response. If only the end of the connection marks its end, that must not look like a normal end. */
  destroy(): void {
    const { socket } = this.#connection;
    const endsWithConnection = this.underWay && !this.#chunked && this.#owed === Number.POSITIVE_INFINITY;
    if (endsWithConnection) socket.resetAndDestroy();
    else socket.destroy();
  }

  onClose(listener: () => void): void {
    this.#onClose = listener;
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener;
  }

  /** The socket has room again. */
  drained(): void {
    const listener = this.#onDrain;
    this.#onDrain = undefined;
    listener?.();
  }

  /**
   * Sends bytes that every client ignores, but a lost connection refuses, so that it closes. Nothing once the response has
   * begun; HTTP/1.0 has no such message, so those clients are not probed.
   */
  probe(): void {
    if (!this.underWay && !this.ended && !this.old) this.#connection.socket.write(PROBE);
  }

  /** The connection is gone. */
  lost(): void {
    if (this.ended) return;
    this.ended = true;
    this.#onClose?.();
  }

  /** Sends the head, if not sent yet, and bytes with a prefix and a suffix, in one write. */
  #send(before: string, bytes: Uint8Array, behind: string): boolean {
    const { socket } = this.#connection;
    this.underWay = true;
    const start = this.#head === undefined ? before : this.#head + before;
    this.#head = undefined;
    if (start === "" && behind === "") return bytes.byteLength === 0 || socket.write(bytes);
    return writeJoined(socket, start, bytes, behind);
  }
}

const EMPTY = new Uint8Array(0);

function safe(value: string): string {
  return SAFE.test(value) ? value : value.replace(UNSAFE, " ");
}
