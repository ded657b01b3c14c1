import { STATUS_CODES } from "node:http";
import type { Upstream, UpstreamCall, UpstreamEvents, UpstreamRequest } from "../../runtime/http/upstream.ts";
import type { ContentReader } from "../body/content-reader.ts";
import { type EchoResponse, echoError, echoResponse } from "./echo-response.ts";

/**
 * Host of the echo, as named in `providers/echo.ts`. It is never resolved by DNS, so it works on a machine without a
 * network; `internal` is reserved for private use, so it cannot be a public site.
 */
const ECHO_HOST = "echo.weir.internal";

/** A body is held in memory until the response. */
const BODY_BYTES_MAX = 4 * 1_024 * 1_024;

/** Wraps an upstream so that requests for the echo are handled here, without a connection. */
export function withEcho(upstream: Upstream, content: ContentReader): Upstream {
  return {
    open: (request, events) =>
      request.origin.host === ECHO_HOST ? new EchoCall(content, request, events) : upstream.open(request, events),
    close: () => upstream.close(),
  };
}

/** One request to the echo: reads its body, then responds piece by piece. */
class EchoCall implements UpstreamCall {
  readonly #content: ContentReader;
  readonly #request: UpstreamRequest;
  readonly #events: UpstreamEvents;
  readonly #body: Uint8Array[] = [];
  #bytes = 0;
  #isSent = false;
  #isOver = false;
  #isPaused = false;
  /** What is left to send, once there is a response. */
  #rest: Uint8Array[] | undefined;

  constructor(content: ContentReader, request: UpstreamRequest, events: UpstreamEvents) {
    this.#content = content;
    this.#request = request;
    this.#events = events;
    if (request.body !== undefined) this.#keep(request.framing === "chunked" ? unframed(request.body) : request.body);
    if (request.body !== undefined || request.framing === "none") this.#ask();
  }

  write(bytes: Uint8Array): boolean {
    this.#keep(bytes);
    return true;
  }

  end(): void {
    this.#ask();
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    queueMicrotask(() => this.#send());
  }

  abort(): void {
    this.#isOver = true;
    this.#rest = undefined;
  }

  #keep(bytes: Uint8Array): void {
    this.#bytes += bytes.byteLength;
    if (this.#bytes <= BODY_BYTES_MAX) this.#body.push(bytes);
    else this.#body.length = 0;
  }

  #ask(): void {
    if (this.#isSent) return;
    this.#isSent = true;
    // Always asynchronous: the caller of `open` has not received its call yet.
    void this.#response().then((response) => this.#begin(response));
  }

  async #response(): Promise<EchoResponse> {
    await Promise.resolve();
    if (this.#bytes > BODY_BYTES_MAX) return echoError(413, `the echo takes bodies up to ${BODY_BYTES_MAX} bytes`);
    const { method, path } = this.#request;
    const body = Buffer.concat(this.#body);
    const contentType = this.#header("content-type");
    const contentEncoding = this.#header("content-encoding");
    const { json } = await this.#content.content({ bytes: body, contentType, coding: contentEncoding }, true);
    return echoResponse({ method, path, contentType, contentEncoding, body }, json, Date.now());
  }

  #header(name: string): string {
    const { headers } = this.#request;
    for (let at = 0; at < headers.length; at += 2) if (headers[at]!.toLowerCase() === name) return headers[at + 1]!;
    return "";
  }

  #begin({ status, headers, pieces }: EchoResponse): void {
    if (this.#isOver) return;
    const length = pieces.length === 1 ? ["Content-Length", String(pieces[0]!.byteLength)] : [];
    this.#rest = this.#request.method === "HEAD" ? [] : [...pieces];
    this.#events.onHead(status, STATUS_CODES[status] ?? "", [...headers, ...length]);
    this.#send();
  }

  #send(): void {
    while (!this.#isOver && !this.#isPaused && this.#rest !== undefined) {
      const piece = this.#rest.shift();
      if (piece !== undefined) this.#events.onData(piece);
      else {
        this.#isOver = true;
        this.#events.onEnd();
      }
    }
  }
}

/** Decodes a chunked body in memory: a size in hexadecimal, that many bytes, and so on until a size of 0. */
function unframed(body: Uint8Array): Uint8Array {
  const framed = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = framed.indexOf("\r\n", at);
    const size = Number.parseInt(framed.toString("latin1", at, Math.max(at, lineEnd)), 16);
    if (lineEnd < 0 || !(size > 0)) return Buffer.concat(chunks);
    chunks.push(framed.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}
