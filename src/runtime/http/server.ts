import type { ByteSocket, Sockets } from "./sockets.ts";

/**
 * The server side towards clients: HTTP/1.1 over a socket, byte for byte in both directions.
 *
 * One request at a time is served on a connection; pipelined ones wait for those before them.
 */
export interface ServerHandlers {
  /** A request and the response to it. Never throws. */
  onRequest(request: IncomingRequest, answer: Answer): void;
  /**
   * A request for a WebSocket: the socket now belongs to the receiver, paused; `early` is what came behind the head.
   * Nothing but the head of the request has been read.
   */
  onUpgrade(request: IncomingRequest, socket: ByteSocket, early: Uint8Array): void;
  /** What came is no request that can be served. @returns the whole response; the connection closes behind it. */
  onFault(fault: RequestFault): Uint8Array;
}

/** `size`: more header bytes or fields than are taken; `plain`: no TLS where that is spoken. */
export type RequestFault = "malformed" | "method" | "size" | "timeout" | "plain";

/** A request whose head has come, and its body as it comes. */
export interface IncomingRequest {
  /** One of those in `http.METHODS`, but CONNECT. */
  readonly method: string;
  /** The target as sent. A path may hold bytes that no URI has: it is to be refused, and its connection then closes. */
  readonly url: string;
  /** HTTP/1.0. */
  readonly old: boolean;
  /** Address of the client, where it is known. */
  readonly address?: string | undefined;
  /** Raw pairs, spelled as on the wire, values as Latin-1 strings. */
  readonly rawHeaders: readonly string[];
  /** Whether the client waits for a "100 Continue" before it sends its body. */
  readonly waitsForContinue: boolean;
  sendContinue(): void;
  /** Lets the body come; nothing of it is read before. Once. What is not read when the response ends is read away. */
  read(sink: BodySink): void;
  pause(): void;
  resume(): void;
}

/** Who takes a request's body. Nothing is called any more once the response has ended or the client has left. */
export interface BodySink {
  /** `bytes` are not touched again by the server. */
  onData(bytes: Uint8Array): void;
  onEnd(): void;
  /** The body is no well-formed HTTP. @returns false where no response says so: the connection is then broken off. */
  onBroken(): boolean;
}

/** The client's side of an exchange: an ordinary response, or the raw socket of an upgrade. */
export interface Answer {
  /** @param headers - raw pairs; goes out with the first `write`, `end` or `flush`. */
  head(status: number, reason: string, headers: readonly string[]): void;
  flush(): void;
  /** @returns false where the caller should wait for `onDrain`. */
  write(bytes: Uint8Array): boolean;
  end(bytes?: Uint8Array): void;
  /** Breaks the connection, so that the client sees that the response is not whole. */
  destroy(): void;
  /** Called when the connection is lost before the response has ended. */
  onClose(listener: () => void): void;
  /** Called once, when there is room again. */
  onDrain(listener: () => void): void;
}

export interface Server {
  readonly port: number;
  /** Takes no more connections and ends the idle ones; resolves once all are gone. */
  close(): Promise<void>;
  /** Ends connections that serve no request. */
  closeIdle(): void;
  /** Breaks off every connection. */
  closeAll(): void;
}

export interface ServerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Other programs may listen on it too; the system divides connections among them. Linux. */
  readonly portShared?: boolean;
  readonly handlers: ServerHandlers;
  /** Bytes of a request's head, line included. */
  readonly headBytesMax: number;
  /** Milliseconds that a client has for a head that it has begun, and for its first. */
  readonly headMs: number;
  /** Milliseconds that a connection is kept between two requests. */
  readonly idleMs: number;
  /** Milliseconds that a client has to close its side, or to end an unwanted body; 10 s. */
  readonly lingerMs?: number;
  readonly sockets?: Sockets;
}
