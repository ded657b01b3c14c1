import type { ByteSocket, Sockets } from "./sockets.ts";

/**
 * The server side towards clients: HTTP/1.1 over a socket, byte for byte in both directions.
 *
 * A connection serves one request at a time; pipelined ones wait for those before them.
 */
export interface ServerHandlers {
  /** A request and the response to it. Never throws. */
  onRequest(request: IncomingRequest, response: ServerResponse): void;
  /**
   * A request for a WebSocket: the handler now owns the socket, which is paused; `early` holds the bytes after the head.
   * Only the head of the request has been read.
   */
  onUpgrade(request: IncomingRequest, socket: ByteSocket, early: Uint8Array): void;
  /**
   * The request cannot be served. @returns the complete response; the connection then closes.
   *
   * @param why - what is wrong with a malformed request; holds nothing of it.
   */
  onFault(fault: RequestFault, why?: string): Uint8Array;
}

/** `size`: too many header bytes or fields; `plain`: no TLS on a TLS listener. */
export type RequestFault = "malformed" | "method" | "size" | "timeout" | "plain";

/** A request whose head has arrived; its body follows. */
export interface IncomingRequest {
  /** One of those in `http.METHODS`, except CONNECT. */
  readonly method: string;
  /**
   * The target as sent. A path may hold bytes not allowed in a URI: the handler must refuse it, and the connection then
   * closes.
   */
  readonly url: string;
  /** HTTP/1.0. */
  readonly old: boolean;
  /** Address of the client, if known. */
  readonly address?: string | undefined;
  /** Raw pairs, spelled as on the wire, values as Latin-1 strings. */
  readonly rawHeaders: readonly string[];
  /** Whether the client waits for a "100 Continue" before it sends its body. */
  readonly waitsForContinue: boolean;
  sendContinue(): void;
  /** Starts reading the body; call it at most once. What is not read when the response ends is discarded. */
  read(sink: BodySink): void;
  pause(): void;
  resume(): void;
}

/** Receives a request's body. Nothing is called after the response has ended or the client has left. */
export interface BodySink {
  /** The server does not reuse `bytes`. */
  onData(bytes: Uint8Array): void;
  onEnd(): void;
  /** The body is not well-formed HTTP. @returns false if no response reports it: the connection is then cut. */
  onBroken(): boolean;
}

/** The client's side of an exchange: an ordinary response, or the raw socket of an upgrade. */
export interface ServerResponse {
  /** @param headers - raw pairs; goes out with the first `write`, `end` or `flush`. */
  head(status: number, reason: string, headers: readonly string[]): void;
  flush(): void;
  /** @returns false if the caller should wait for `onDrain`. */
  write(bytes: Uint8Array): boolean;
  end(bytes?: Uint8Array): void;
  /** Cuts the connection, so that the client sees that the response is incomplete. */
  destroy(): void;
  /** Called when the connection is lost before the response has ended. */
  onClose(listener: () => void): void;
  /** Called once, when there is room again. */
  onDrain(listener: () => void): void;
}

export interface Server {
  readonly port: number;
  /** Accepts no more connections and ends the idle ones; resolves once all are gone. */
  close(): Promise<void>;
  /** Ends connections that serve no request. */
  closeIdle(): void;
  /** Cuts every connection. */
  closeAll(): void;
}

export interface ServerOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Other programs may listen on it too; the system distributes connections among them. Linux. */
  readonly portShared?: boolean;
  readonly handlers: ServerHandlers;
  /** Maximum bytes of a request's head, including the request line. */
  readonly headBytesMax: number;
  /** Milliseconds that a client has to complete a head, and to send its first one. */
  readonly headMs: number;
  /** Milliseconds that a connection is kept between two requests. */
  readonly idleMs: number;
  /** Milliseconds that a client has to close its side, or to end an unwanted body; default 10 s. */
  readonly lingerMs?: number;
  readonly sockets?: Sockets;
}
