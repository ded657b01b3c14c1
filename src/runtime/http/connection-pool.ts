import { type Connector, createConnector } from "./connect.ts";
import { ResponseParser, type ResponseSink } from "./response-parser.ts";
import type { ByteSocket } from "./sockets.ts";
import { TurnWrites } from "./turn-writes.ts";
import type { UpstreamOptions, UpstreamOrigin, UpstreamRequest } from "./upstream.ts";
import { UPSTREAM_DEFAULTS, UpstreamError } from "./upstream.ts";

const IDLE_PER_ORIGIN_MAX = 1_024;
const SWEEP_MS = 1_000;

/** Keep-alive connections to providers. */
export class Pool {
  readonly connect: Connector;
  readonly headBytesMax: number;
  readonly unreadMs: number | undefined;
  /** Undefined if requests are sent immediately. */
  readonly writes: TurnWrites | undefined;
  readonly #idleMs: number;
  readonly #idle = new Map<string, Connection[]>();
  #sweep: ReturnType<typeof setInterval> | undefined;
  /** `performance.now()`, as of the last sweep: connections are closed up to a second early. */
  #nowMs = 0;
  #closed = false;

  constructor(options: UpstreamOptions) {
    this.connect = createConnector(options);
    this.headBytesMax = options.headBytesMax ?? UPSTREAM_DEFAULTS.headBytesMax;
    this.unreadMs = options.unreadMs;
    this.writes = options.atTurnEnd && new TurnWrites(options.atTurnEnd);
    this.#idleMs = options.idleMs ?? UPSTREAM_DEFAULTS.idleMs;
  }

  /** Takes the most recently used connection, so that the others can expire. */
  take(origin: UpstreamOrigin): Connection | undefined {
    const list = this.#idle.get(keyOf(origin));
    return list?.pop();
  }

  give(connection: Connection): void {
    const list = this.#idle.get(connection.key);
    if (this.#closed || (list !== undefined && list.length >= IDLE_PER_ORIGIN_MAX)) {
      connection.destroy();
      return;
    }
    if (this.#sweep === undefined) this.#startSweep();
    connection.idleSince = this.#nowMs;
    if (list === undefined) this.#idle.set(connection.key, [connection]);
    else list.push(connection);
  }

  /** A method of its own: in `give` the closure would cost every request its scope. */
  #startSweep(): void {
    this.#nowMs = performance.now();
    this.#sweep = setInterval(() => this.#closeOld(), SWEEP_MS);
    this.#sweep.unref();
  }

  /** Removes an idle connection that has ended or must end. */
  drop(connection: Connection): void {
    const list = this.#idle.get(connection.key);
    const at = list?.indexOf(connection) ?? -1;
    if (at >= 0) list?.splice(at, 1);
    connection.destroy();
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#sweep);
    for (const list of this.#idle.values()) for (const connection of list) connection.destroy();
    this.#idle.clear();
  }

  #closeOld(): void {
    this.#nowMs = performance.now();
    const oldest = this.#nowMs - this.#idleMs;
    for (const [key, list] of this.#idle) {
      // The list is a stack, so the longest unused ones come first.
      let old = 0;
      while (old < list.length && list[old]!.idleSince < oldest) old++;
      for (const connection of list.splice(0, old)) connection.destroy();
      if (list.length === 0) this.#idle.delete(key);
    }
    if (this.#idle.size > 0) return;
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }
}

/** Keys by origin: requests to one target share its object. */
const keys = new WeakMap<UpstreamOrigin, string>();

export function keyOf(origin: UpstreamOrigin): string {
  let key = keys.get(origin);
  if (key === undefined) {
    key = `${origin.secure ? "s" : ""}${origin.port} ${origin.host}`;
    keys.set(origin, key);
  }
  return key;
}

export interface ConnectionUser extends ResponseSink {
  /** There is room for more of the request's body. */
  drained(): void;
  /** The connection was lost before the response was complete; `started` says whether any byte of it had arrived. */
  lost(started: boolean, cause: Error | undefined): void;
  /** The bytes received are not valid HTTP. */
  fail(error: UpstreamError): void;
}

/** One socket and its current call. */
export class Connection {
  readonly key: string;
  readonly socket: ByteSocket;
  readonly parser: ResponseParser;
  readonly #pool: Pool;
  #call: ConnectionUser | undefined;
  #failure: Error | undefined;
  #ended = false;
  #released = false;
  idleSince = 0;

  constructor(pool: Pool, key: string, socket: ByteSocket) {
    this.#pool = pool;
    this.key = key;
    this.socket = socket;
    this.parser = new ResponseParser(pool.headBytesMax);
    socket.on("data", this.#onData);
    socket.on("drain", this.#onDrain);
    socket.on("error", this.#onError);
    socket.on("end", this.#onEnd);
    socket.on("close", this.#onClose);
  }

  begin(call: ConnectionUser, { method, upgrade = false }: UpstreamRequest): void {
    this.#call = call;
    this.parser.expect(method, upgrade, call);
  }

  /** The response is complete: returns the connection to the pool, or closes it. */
  release(reusable: boolean): void {
    this.#call = undefined;
    if (reusable && !this.#ended && !this.socket.destroyed) this.#pool.give(this);
    else this.destroy();
  }

  pause(): void {
    this.parser.paused = true;
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
    try {
      this.parser.resume();
    } catch (error) {
      this.#failed(error);
    }
    if (!this.parser.paused && this.#ended) this.#report();
  }

  destroy(): void {
    this.#call = undefined;
    this.parser.detach();
    this.socket.destroy();
  }

  /** Hands over the socket, paused and without our listeners. */
  surrender(): ByteSocket {
    this.#released = true;
    this.#call = undefined;
    const { socket } = this;
    socket.off("data", this.#onData);
    socket.off("drain", this.#onDrain);
    socket.off("error", this.#onError);
    socket.off("end", this.#onEnd);
    socket.off("close", this.#onClose);
    socket.pause();
    return socket;
  }

  readonly #onData = (bytes: Buffer): void => {
    if (this.#call === undefined) {
      this.#pool.drop(this);
      return;
    }
    try {
      this.parser.execute(bytes);
    } catch (error) {
      this.#failed(error);
    }
  };

  readonly #onDrain = (): void => this.#call?.drained();

  readonly #onError = (error: Error): void => {
    this.#failure ??= error;
  };

  readonly #onEnd = (): void => {
    this.parser.finish();
    this.#lose();
  };

  readonly #onClose = (): void => {
    // Without a preceding 'end' this was a reset, not the end of a response.
    this.#lose();
  };

  #lose(): void {
    this.#ended = true;
    if (this.#call === undefined) this.#pool.drop(this);
    else if (!this.parser.paused) this.#report();
  }

  #report(): void {
    const call = this.#call;
    if (this.#released || call === undefined) return;
    this.#call = undefined;
    call.lost(this.parser.started, this.#failure);
    this.destroy();
  }

  #failed(error: unknown): void {
    const call = this.#call;
    this.destroy();
    if (!(error instanceof UpstreamError)) throw error;
    call?.fail(error);
  }
}
