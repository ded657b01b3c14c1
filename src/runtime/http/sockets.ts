import net from "node:net";

/**
 * The part of a TCP or TLS connection that HTTP uses. A `net.Socket` is one. The caller does not modify bytes after writing
 * them; received bytes belong to the receiver.
 */
export interface ByteSocket {
  readonly destroyed: boolean;
  readonly writable: boolean;
  /** Bytes that the system has not accepted yet. */
  readonly writableLength: number;
  /** Address of the other side, if known. */
  readonly remoteAddress?: string | undefined;
  /** Whether "drain" will be emitted. */
  readonly writableNeedDrain: boolean;
  on<E extends keyof SocketEvents>(event: E, listener: SocketEvents[E]): unknown;
  once<E extends keyof SocketEvents>(event: E, listener: SocketEvents[E]): unknown;
  off<E extends keyof SocketEvents>(event: E, listener: SocketEvents[E]): unknown;
  emit(event: "data", bytes: Buffer): unknown;
  /** @returns false if the caller should wait for "drain". */
  write(bytes: Uint8Array): boolean;
  /** Writes part of a buffer that the caller reuses: bytes that the system does not accept are copied. */
  writeCopied?(bytes: Buffer, from: number, length: number): boolean;
  /** Closes this side once everything written has been sent. */
  end(): unknown;
  /** Closes both sides immediately. */
  destroy(): unknown;
  /** Like `destroy`, but the other side sees that it is not a normal end. */
  resetAndDestroy(): unknown;
  pause(): unknown;
  resume(): unknown;
  setNoDelay(on: boolean): unknown;
  setKeepAlive(on: boolean, delayMs: number): unknown;
}

interface SocketEvents {
  readonly connect: () => void;
  /** Emitted in place of "connect" on a TLS connection. */
  readonly secureConnect: () => void;
  readonly data: (bytes: Buffer) => void;
  readonly drain: () => void;
  /** The other side sends nothing more. */
  readonly end: () => void;
  /** "close" follows. */
  readonly error: (error: NodeJS.ErrnoException) => void;
  readonly close: () => void;
}

interface ListenOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Other programs may listen on it too. Linux. */
  readonly portShared: boolean;
}

export interface Listener {
  readonly port: number;
  /** Descriptor of its socket, if it keeps fewer waiting connections than `BACKLOG`. */
  readonly descriptor?: number;
  /** Accepts no more connections. Resolves once all are gone. */
  close(): Promise<void>;
}

/** Opens TCP connections and listeners. */
export interface Sockets {
  /** A client that closes its side may still be reading, so connections stay half open. @throws if the port is taken. */
  listen(options: ListenOptions, onSocket: (socket: ByteSocket) => void): Promise<Listener>;
  /** A connection that emits "connect", or "error" and "close". It ends when the other side ends. */
  connect(address: string, port: number): ByteSocket;
}

/** Connections that the system keeps until they are accepted: as many as it allows, on Linux usually 4,096. */
export const BACKLOG = 65_535;

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
