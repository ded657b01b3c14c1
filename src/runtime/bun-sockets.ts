import { EventEmitter } from "node:events";
import net from "node:net";
import type { ByteSocket, Sockets } from "./http/sockets.ts";

type Handle = Bun.Socket<NativeSocket>;

/**
 * When Bun gives up a connect, the socket stays open until the system gives up too, after minutes. While this many are
 * connecting, `node:net` is used instead, which closes immediately: a provider that never accepts must not exhaust the file
 * descriptors.
 */
const CONNECTING_MAX = 256;
let connecting = 0;

/** Bun's own sockets, without the streams of `node:net`. */
export const nativeSockets: Sockets = {
  async listen({ host, port, portShared }, onSocket) {
    let open = 0;
    let onAllGone: (() => void) | undefined;
    const gone = () => {
      open--;
      if (open === 0) onAllGone?.();
    };
    const options = { hostname: host, port, allowHalfOpen: true, ...(portShared && { reusePort: true }) };
    const listener = Bun.listen<NativeSocket>({
      ...options,
      socket: {
        ...HANDLERS,
        open(handle) {
          open++;
          const socket = new NativeSocket(true);
          socket.once("close", gone);
          socket.opened(handle);
          onSocket(socket);
        },
      },
    });
    return {
      port: listener.port,
      descriptor: (listener as typeof listener & { readonly fd: number }).fd, // absent from its types
      close() {
        listener.stop();
        return open === 0 ? Promise.resolve() : new Promise((resolve) => (onAllGone = resolve));
      },
    };
  },

  connect(address, port) {
    if (connecting >= CONNECTING_MAX) return net.connect({ host: address, port, noDelay: true });
    const socket = new NativeSocket(false);
    // If the system refuses immediately, Bun calls `connectError` before listeners can be added; the promise rejects later.
    const failed = (error: Error) => socket.failed(error);
    const options = { hostname: address, port, allowHalfOpen: true, data: socket, socket: CONNECTING };
    connecting++;
    Bun.connect<NativeSocket>(options)
      .catch(failed)
      .finally(() => connecting--);
    return socket;
  },
};

const HANDLERS: Bun.SocketHandler<NativeSocket> = {
  data: ({ data: socket }, bytes) => socket.received(bytes),
  drain: ({ data: socket }) => socket.drained(),
  end: ({ data: socket }) => socket.finished(),
  close: ({ data: socket }, error) => socket.closed(error),
  // Not a connection error: one of the handlers above threw, and Bun reports it only here.
  error({ data: socket }, error) {
    socket?.destroy();
    process.nextTick(() => {
      throw error;
    });
  },
};

const CONNECTING: Bun.SocketHandler<NativeSocket> = {
  ...HANDLERS,
  open(handle) {
    const { data: socket } = handle;
    socket.opened(handle);
    if (!socket.destroyed) socket.emit("connect");
  },
};

/**
 * A Bun socket with the events and rules of a `net.Socket`. A write passes on what the system accepts; the rest is buffered
 * here.
 */
class NativeSocket extends EventEmitter implements ByteSocket {
  readonly #allowHalfOpen: boolean;
  #handle: Handle | undefined;
  #unsent: Uint8Array[] = [];
  #unsentBytes = 0;
  #isPaused = false;
  /** Bytes that arrived while it was paused. */
  #held: Buffer[] = [];
  /** `#isEnding`: this side closes once everything is sent; `#isFinished`: the other side has closed. */
  #isEnding = false;
  #isFinished = false;
  #isFinishHeld = false;
  destroyed = false;

  constructor(allowHalfOpen: boolean) {
    super();
    this.#allowHalfOpen = allowHalfOpen;
  }

  get writable(): boolean {
    return !this.destroyed && !this.#isEnding;
  }

  get writableLength(): number {
    return this.#unsentBytes;
  }

  get writableNeedDrain(): boolean {
    return this.#unsentBytes > 0;
  }

  write(bytes: Uint8Array): boolean {
    if (this.#handle === undefined || !this.writable) return false;
    const sent = this.#unsentBytes > 0 ? 0 : this.#send(bytes);
    if (sent === bytes.byteLength) return true;
    this.#unsent.push(sent === 0 ? bytes : bytes.subarray(sent));
    this.#unsentBytes += bytes.byteLength - sent;
    return false;
  }

  writeCopied(bytes: Buffer, from: number, length: number): boolean {
    if (this.#handle === undefined || !this.writable) return false;
    const sent = this.#unsentBytes > 0 ? 0 : Math.max(0, this.#handle.write(bytes, from, length));
    if (sent === length) return true;
    this.#unsent.push(Buffer.copyBytesFrom(bytes, from + sent, length - sent));
    this.#unsentBytes += length - sent;
    return false;
  }

  end(): void {
    if (!this.writable) return;
    this.#isEnding = true;
    if (this.#unsentBytes === 0) this.#shutDown();
  }

  destroy(): void {
    if (this.destroyed) return;
    this.#leave();
    this.#handle?.end();
  }

  resetAndDestroy(): void {
    if (this.destroyed) return;
    this.#leave();
    this.#handle?.terminate();
  }

  pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#handle?.pause();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#handle?.resume();
    if (this.#held.length > 0 || this.#isFinishHeld) process.nextTick(() => this.#deliver());
  }

  /** Bun's sockets do not delay: setting it again would be a system call for each connection. */
  setNoDelay(on: boolean): void {
    if (!on) this.#handle?.setNoDelay(false);
  }

  setKeepAlive(on: boolean, delayMs: number): void {
    this.#handle?.setKeepAlive(on, delayMs);
  }

  /** It may have been destroyed while connecting, which Bun cannot abort. */
  opened(handle: Handle): void {
    handle.data = this;
    this.#handle = handle;
    if (this.destroyed) handle.end();
  }

  received(bytes: Buffer): void {
    if (this.destroyed) return;
    if (this.#isPaused || this.#held.length > 0) this.#held.push(bytes);
    else this.emit("data", bytes);
  }

  drained(): void {
    if (this.#unsentBytes === 0) return;
    for (let first = this.#unsent[0]; first !== undefined; first = this.#unsent[0]) {
      const sent = this.#send(first);
      this.#unsentBytes -= sent;
      if (sent < first.byteLength) {
        this.#unsent[0] = first.subarray(sent);
        return;
      }
      this.#unsent.shift();
    }
    if (this.#isEnding) this.#shutDown();
    else this.emit("drain");
  }

  finished(): void {
    if (this.destroyed) return;
    if (this.#isPaused || this.#held.length > 0) {
      this.#isFinishHeld = true;
      return;
    }
    this.#isFinished = true;
    this.emit("end");
    if (!this.#allowHalfOpen) this.end();
    // If this side had already ended, nothing else closes the connection.
    if (this.#isEnding && this.#unsentBytes === 0) this.destroy();
  }

  failed(error: Error): void {
    if (this.destroyed) return;
    this.destroy();
    this.emit("error", error);
  }

  closed(error: Error | undefined): void {
    if (this.destroyed) return;
    this.#leave();
    if (error !== undefined) this.emit("error", error);
  }

  /** @returns how many bytes the system accepted. A closed socket accepts none, and reports that itself. */
  #send(bytes: Uint8Array): number {
    return Math.max(0, this.#handle!.write(bytes));
  }

  #shutDown(): void {
    if (this.#isFinished) this.destroy();
    else this.#handle?.shutdown();
  }

  #deliver(): void {
    while (!this.#isPaused && !this.destroyed && this.#held.length > 0) this.emit("data", this.#held.shift()!);
    if (this.#isPaused || this.destroyed || !this.#isFinishHeld) return;
    this.#isFinishHeld = false;
    this.finished();
  }

  #leave(): void {
    this.destroyed = true;
    this.#unsent = [];
    this.#unsentBytes = 0;
    this.#held = [];
    process.nextTick(() => this.emit("close"));
  }
}
