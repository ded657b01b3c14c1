import net from "node:net";

/**
 * A TCP or TLS connection, as far as HTTP needs it. A `net.Socket` is one. Bytes that are written are not touched again by
 * the caller; those that come belong to the receiver.
 */
export interface ByteSocket {
  readonly destroyed: boolean;
  readonly writable: boolean;
  /** Bytes that the system has not taken yet. */
  readonly writableLength: number;
  /** Address of the other side, where it is known. */
  readonly remoteAddress?: string | undefined;
  /** Whether "drain" will be emitted. */
  readonly writableNeedDrain: boolean;
  on<E extends keyof SocketEvents>(event: E, listener: SocketEvents[E]): unknown;
  once<E extends keyof SocketEvents>(event: E, listener: SocketEvents[E]): unknown;
  off<E extends keyof SocketEvents>(event: E, listener: SocketEvents[E]): unknown;
  emit(event: "data", bytes: Buffer): unknown;
  /** @returns false where the caller should wait for "drain". */
  write(bytes: Uint8Array): boolean;
  /** The same for bytes that the caller writes over afterwards: what the system does not take is copied. */
  writeCopied?(bytes: Buffer, length: number): boolean;
  /** Closes this side once all that was written has left. */
  end(): unknown;
  /** Closes both sides now. */
  destroy(): unknown;
  /** The same, so that the other side sees that it is no ordinary end. */
  resetAndDestroy(): unknown;
  pause(): unknown;
  resume(): unknown;
  setNoDelay(on: boolean): unknown;
  setKeepAlive(on: boolean, delayMs: number): unknown;
}

interface SocketEvents {
  readonly connect: () => void;
  /** In place of "connect" where the connection speaks TLS. */
  readonly secureConnect: () => void;
  readonly data: (bytes: Buffer) => void;
  readonly drain: () => void;
  /** The other side sends nothing more. */
  readonly end: () => void;
  /** "close" follows. */
  readonly error: (error: NodeJS.ErrnoException) => void;
  readonly close: () => void;
}

export interface ListenOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Other programs may listen on it too. Linux. */
  readonly portShared: boolean;
}

export interface Listener {
  readonly port: number;
  /** Takes no more connections. Resolves once all are gone. */
  close(): Promise<void>;
}

/** A way to TCP. */
export interface Sockets {
  /** A client that closes its side may still be reading, so connections stay half open. @throws where the port is taken. */
  listen(options: ListenOptions, onSocket: (socket: ByteSocket) => void): Promise<Listener>;
  /** A connection that emits "connect", or "error" and "close". It ends when the other side ends. */
  connect(address: string, port: number): ByteSocket;
}

export const BACKLOG = 4_096;

export const nodeSockets: Sockets = {
  async listen({ host, port, portShared }, onSocket) {
    const server = net.createServer({ allowHalfOpen: true }, onSocket);
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ port, host, backlog: BACKLOG, ...(portShared && { reusePort: true }) }, () => resolve());
    });
    return {
      port: (server.address() as net.AddressInfo).port,
      close: () => new Promise<void>((resolve) => server.close(() => resolve())),
    };
  },
  connect: (address, port) => net.connect({ host: address, port, noDelay: true }),
};
