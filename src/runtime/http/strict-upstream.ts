import { Connection, type ConnectionUser, keyOf, Pool } from "./connection-pool.ts";
import { lineStart } from "./line-start.ts";
import type { ByteSocket } from "./sockets.ts";
import type { Upstream, UpstreamCall, UpstreamEvents, UpstreamOptions, UpstreamRequest } from "./upstream.ts";
import { mayResend, UpstreamError } from "./upstream.ts";
import { writeJoined } from "./write-joined.ts";

/**
 * An upstream over our own sockets: an HTTP/1.1 client with keep-alive that sends exactly the given bytes and refuses
 * ambiguous framing. About half the CPU of `node:http` per request.
 */
export function createStrictUpstream(options: UpstreamOptions): Upstream {
  const pool = new Pool(options);
  return {
    open: (request, events) => new Call(pool, request, events),
    close: () => pool.close(),
  };
}

/** One request, over one connection or, after a lost one, two. */
class Call implements UpstreamCall, ConnectionUser {
  readonly #pool: Pool;
  readonly #request: UpstreamRequest;
  readonly #events: UpstreamEvents;
  /** Set on a kept-alive connection; a request on a fresh one is not retried. */
  sentMs: number | undefined;
  #connection: Connection | undefined;
  #settled = false;
  #paused = false;
  /** Body bytes written before there was a connection; undefined if there are none. */
  #waiting: Uint8Array[] | undefined;
  #endRequested: boolean;
  #bodyPassed = false;

  constructor(pool: Pool, request: UpstreamRequest, events: UpstreamEvents) {
    this.#pool = pool;
    this.#request = request;
    this.#events = events;
    this.#endRequested = request.body !== undefined || request.framing === "none";
    const idle = pool.take(request.origin);
    if (idle === undefined) this.#connect();
    else {
      this.sentMs = performance.now();
      this.#begin(idle);
    }
  }

  write(bytes: Uint8Array): boolean {
    if (this.#settled) return true;
    if (this.#connection === undefined) {
      if (this.#waiting === undefined) this.#waiting = [bytes];
      else this.#waiting.push(bytes);
      return false;
    }
    return this.#writeBody(this.#connection.socket, bytes);
  }

  end(): void {
    this.#endRequested = true;
    if (!this.#settled && this.#connection !== undefined) this.#writeEnd(this.#connection.socket);
  }

  pause(): void {
    this.#paused = true;
    this.#connection?.pause();
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#connection?.resume();
  }

  abort(): void {
    this.#settled = true;
    this.#waiting = undefined;
    this.#connection?.destroy();
  }

  onInformation(status: number, headers: string[]): void {
    this.#events.onInformation?.(status, headers);
  }

  onHead(status: number, reason: string, headers: readonly string[]): void {
    this.#events.onHead(status, reason, headers);
  }

  onData(bytes: Uint8Array): void {
    this.#events.onData(bytes);
  }

  onWhole(reusable: boolean): void {
    if (this.#settled) return;
    this.#settled = true;
    // A request whose body is still being sent would run into the next one.
    this.#connection?.release(reusable && this.#endRequested && this.#waiting === undefined);
    this.#events.onEnd();
  }

  onSwitch(reason: string, headers: string[], early: Uint8Array): void {
    const connection = this.#connection;
    if (this.#settled || connection === undefined) return;
    this.#settled = true;
    this.#events.onUpgrade?.(101, reason, headers, connection.surrender(), early);
  }

  drained(): void {
    if (!this.#settled) this.#events.onDrain?.();
  }

  /** The connection was lost before the response was complete. */
  lost(started: boolean, cause: Error | undefined): void {
    if (this.#settled) return;
    this.#connection = undefined;
    const { sentMs } = this;
    this.sentMs = undefined;
    const isResendable = sentMs !== undefined && !started && !this.#bodyPassed;
    if (isResendable && mayResend(this.#request.method, sentMs, this.#pool.unreadMs)) this.#connect();
    else
      this.fail(
        new UpstreamError("broken", "the provider closed the connection before its response was complete", { cause }),
      );
  }

  fail(error: UpstreamError): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#connection?.destroy();
    this.#events.onError(error);
  }

  #connect(): void {
    const { origin } = this.#request;
    this.#pool
      .connect(origin, () => !this.#settled)
      .then(
        (socket) => {
          if (this.#settled) return void socket.destroy();
          this.#begin(new Connection(this.#pool, keyOf(origin), socket));
        },
        (error: unknown) =>
          this.fail(
            error instanceof UpstreamError
              ? error
              : new UpstreamError("unreachable", "no connection", { cause: error }),
          ),
      );
  }

  #begin(connection: Connection): void {
    this.#connection = connection;
    connection.begin(this, this.#request);
    if (this.#paused) connection.pause();
    const { socket } = connection;
    const head = headText(this.#request);
    const body = this.#request.body ?? NOTHING;
    const waiting = this.#waiting;
    const isWhole = this.#endRequested && waiting === undefined;
    if (isWhole && this.#request.framing !== "chunked" && this.#pool.writes?.add(socket, head, body)) return;
    writeJoined(socket, head, body);
    this.#waiting = undefined;
    let room = waiting !== undefined;
    for (const bytes of waiting ?? []) room = this.#writeBody(socket, bytes);
    if (this.#endRequested) this.#writeEnd(socket);
    else if (room) this.#events.onDrain?.();
  }

  #writeBody(socket: ByteSocket, bytes: Uint8Array): boolean {
    this.#bodyPassed = true;
    if (bytes.byteLength === 0) return true;
    if (this.#request.framing !== "chunked") return socket.write(bytes);
    return writeJoined(socket, `${bytes.byteLength.toString(16)}\r\n`, bytes, "\r\n");
  }

  #writeEnd(socket: ByteSocket): void {
    if (this.#request.framing === "chunked" && this.#request.body === undefined) socket.write(LAST_CHUNK);
  }
}

const NOTHING = new Uint8Array(0);
const LAST_CHUNK = Buffer.from("0\r\n\r\n");

function headText({ method, path, headers }: UpstreamRequest): string {
  let text = `${method} ${path} HTTP/1.1`;
  for (let at = 0; at < headers.length; at += 2) text = `${text}${lineStart(headers[at]!)}${headers[at + 1]!}`;
  return `${text}\r\n\r\n`;
}
