import { platform } from "../platform.ts";
import { MalformedRequest, type RequestHead, RequestParser, type RequestSink } from "./request-parser.ts";
import type { RequestStart, RequestStarts } from "./request-starts.ts";
import type { BodySink, RequestFault, ServerHandlers } from "./server.ts";
import { Turn, type TurnConnection } from "./server-turn.ts";
import type { ByteSocket } from "./sockets.ts";

/** Unread bytes kept in memory; beyond them TCP holds the client back. */
const WAITING_BYTES_MAX = 64 * 1_024;
/**
 * An unwanted body is read up to this size, because closing immediately would destroy the response. Many clients send all of
 * it before they read a response, and bodies up to 100 MiB are common.
 */
const DISCARD_BYTES_MAX = 256 * 1_024 * 1_024;
/** A client that has read nothing of its response in this many consecutive checks counts as gone. */
const STALLS_MAX = 12;

/**
 * When a client that has closed its side is probed, in milliseconds: long enough for a quick response, and within the second
 * in which work for a client that has left must end. A runtime may notice a refused probe only when it writes another one:
 * soon, and again for a distant client.
 */
const PROBES_AFTER_MS = platform.probesAfterMs;

const TCP_PROBE_MS = 60_000;

/** State that the connections of one server share. */
export interface ConnectionParts {
  readonly handlers: ServerHandlers;
  readonly headBytesMax: number;
  readonly headMs: number;
  readonly idleMs: number;
  readonly lingerMs: number;
  readonly connections: Set<ServerConnection>;
  readonly starts: RequestStarts;
  /** `performance.now()`, as of the last check of the connections' deadlines. */
  nowMs: number;
  /** Set once the server accepts no more requests: from then on each response closes its connection. */
  closing: boolean;
}

/** One client's connection, and its current request. */
export class ServerConnection implements RequestSink, RequestStart, TurnConnection {
  readonly socket: ByteSocket;
  readonly #parts: ConnectionParts;
  readonly #parser: RequestParser;
  #turn: Turn | undefined;
  #sink: BodySink | undefined;
  #bodyWhole = true;
  /** Set once input is no longer parsed: it is discarded until the client closes. */
  #deaf = false;
  /** The client has closed its side: it sends nothing more. */
  #clientFinished = false;
  #headBegan = false;
  #discarded = 0;
  #discarding = false;
  #socketPaused = false;
  /** The client has not read its earlier responses: its next request waits until it has. */
  #choked = false;
  /** Bytes that the client had not read at the last check, and how many checks in a row found the same number. */
  #unsent = 0;
  #stalls = 0;
  /** Deadline of the current state, by the server's `nowMs`; 0 for none. */
  #deadlineMs: number;

  constructor(parts: ConnectionParts, socket: ByteSocket) {
    this.#parts = parts;
    this.socket = socket;
    this.#parser = new RequestParser(parts.headBytesMax, this);
    this.#deadlineMs = performance.now() + parts.headMs;
    parts.connections.add(this);
    socket.setNoDelay(true);
    socket.on("data", this.#onData);
    socket.on("drain", this.#onDrain);
    socket.on("end", this.#onEnd);
    socket.on("error", this.#onError);
    socket.on("close", this.#onClose);
  }

  get isIdle(): boolean {
    return this.#turn === undefined && !this.#parser.inHead;
  }

  get closing(): boolean {
    return this.#parts.closing;
  }

  /** Whether a request has arrived that may not begin in this turn. */
  get #waits(): boolean {
    return this.#turn === undefined && this.#parser.held;
  }

  begin(): void {
    this.#go();
    if (this.#clientFinished) this.#onEnd();
  }

  onHead(head: RequestHead): void {
    const turn = new Turn(this, head);
    this.#turn = turn;
    this.#bodyWhole = false;
    this.#deadlineMs = 0;
    if (turn.upgrade) this.#surrender(turn);
    else {
      // A body is not read before it has a sink.
      this.#parser.held = head.framing.chunked || (head.framing.length ?? 0) > 0;
      this.#parts.handlers.onRequest(turn, turn);
    }
  }

  onData(bytes: Uint8Array): void {
    if (this.#sink === undefined) this.#discard(bytes);
    else this.#sink.onData(bytes);
  }

  onWhole(): void {
    this.#bodyWhole = true;
    const sink = this.#sink;
    this.#sink = undefined;
    sink?.onEnd();
    this.#endTurn();
  }

  /** Starts reading the body of the current request. */
  read(turn: Turn, sink: BodySink): void {
    if (this.#turn !== turn || turn.ended) return;
    this.#sink = sink;
    this.#go();
  }

  pause(turn: Turn): void {
    if (this.#turn !== turn || turn.ended || this.#bodyWhole) return;
    this.#parser.held = true;
    this.#pauseSocket();
  }

  resume(turn: Turn): void {
    if (this.#turn === turn && this.#parser.held) this.#go();
  }

  /** The response has been handed to the socket. */
  responded(turn: Turn): void {
    if (this.#turn !== turn) return;
    this.#sink = undefined;
    if (!turn.persistent) this.#linger();
    if (this.#bodyWhole) this.#endTurn();
    else this.#readAway();
  }

  /** Checks the deadline. */
  check(nowMs: number): void {
    if (this.#deadlineMs === 0 || this.#deadlineMs > nowMs || this.#waits) return;
    if (this.#isSending()) {
      this.#deadlineMs = nowMs + this.#parts.lingerMs;
      return;
    }
    this.#deadlineMs = 0;
    if (this.#deaf || this.#discarding || !this.#parser.inHead) this.socket.destroy();
    else this.#refuse("timeout");
  }

  /** Whether a slow client still reads earlier output: the time limit starts only when all of it has left. */
  #isSending(): boolean {
    const unsent = this.socket.writableLength;
    this.#stalls = unsent === this.#unsent ? this.#stalls + 1 : 0;
    this.#unsent = unsent;
    return unsent > 0 && this.#stalls < STALLS_MAX;
  }

  /** Ends the connection if it serves no request. */
  closeIfIdle(): void {
    if (this.isIdle && !this.#deaf) this.#linger();
  }

  /** Reads and drops an unwanted body that the client still sends, so that the client sees the response. */
  #readAway(): void {
    this.#discarding = true;
    this.#discarded = 0;
    this.#deadlineMs = performance.now() + this.#parts.lingerMs;
    if (this.#deaf) this.#resumeSocket();
    else this.#go();
  }

  #discard(bytes: Uint8Array): void {
    this.#discarded += bytes.byteLength;
    if (this.#discarded > DISCARD_BYTES_MAX) this.socket.destroy();
  }

  /** Moves on to the next request, once the response is sent and the request's body is received. */
  #endTurn(): void {
    const turn = this.#turn;
    if (turn === undefined || !turn.ended || !this.#bodyWhole) return;
    this.#turn = undefined;
    this.#discarding = false;
    if (this.#deaf) return;
    this.#goOn();
  }

  /** Reads the next request. A pipelined one is not begun while the client has unread responses. */
  #goOn(): void {
    this.#deadlineMs = this.#parts.nowMs + this.#parts.idleMs;
    this.#choked = this.socket.writableNeedDrain;
    if (this.#choked) {
      this.#pauseSocket();
      return;
    }
    if (this.closing && this.#parser.waitingBytes === 0) {
      this.#linger();
      return;
    }
    this.#headBegan = false;
    if (this.#parser.waitingBytes > 0 && !this.#parts.starts.admit(this)) this.#parser.held = true;
    try {
      this.#parser.next();
    } catch (error) {
      this.#failed(error);
    }
    this.#settle();
  }

  /** Decides what follows once everything available is read. Called by the parser's caller, never by a handler that it calls. */
  #settle(): void {
    if (this.#parser.running || this.#waits) return;
    if (this.#clientFinished && this.#turn === undefined && !this.#choked && !this.#deaf) this.#linger();
    else if (this.#isCutOff) this.socket.destroy();
    else {
      this.#awaitHead();
      if (!this.#parser.held && !this.#choked && this.#parser.waitingBytes <= WAITING_BYTES_MAX) this.#resumeSocket();
    }
  }

  /** A head that has begun must be complete in time, however slowly it arrives. */
  #awaitHead(): void {
    if (this.#turn !== undefined || this.#headBegan || this.#deaf || !this.#parser.inHead) return;
    this.#headBegan = true;
    this.#deadlineMs = performance.now() + this.#parts.headMs;
  }

  /** The rest of an incomplete body will not arrive. An unread body may still be in memory. */
  get #isCutOff(): boolean {
    return this.#clientFinished && !this.#bodyWhole && !this.#parser.held;
  }

  #go(): void {
    try {
      this.#parser.resume();
    } catch (error) {
      this.#failed(error);
    }
    this.#settle();
  }

  #surrender(turn: Turn): void {
    const { socket } = this;
    const early = this.#parser.detach();
    this.#turn = undefined;
    this.#socketPaused = false; // only the new owner resumes it
    this.#parts.connections.delete(this);
    socket.off("data", this.#onData);
    socket.off("drain", this.#onDrain);
    socket.off("end", this.#onEnd);
    socket.off("error", this.#onError);
    socket.off("close", this.#onClose);
    socket.setKeepAlive(true, TCP_PROBE_MS); // its time is no longer limited here, and a client may vanish silently
    socket.pause();
    socket.once("end", () => socket.end()); // the new owner expects a socket that is closed on both sides together
    this.#parts.handlers.onUpgrade(turn, socket, early);
  }

  readonly #onData = (bytes: Buffer): void => {
    if (this.#deaf) {
      this.#discard(bytes);
      return;
    }
    if (this.isIdle && !this.#parts.starts.admit(this)) this.#parser.held = true;
    try {
      this.#parser.execute(bytes);
    } catch (error) {
      this.#failed(error);
    }
    if (this.#turn === undefined && !this.#waits) this.#awaitHead();
    else if (this.#parser.waitingBytes > WAITING_BYTES_MAX) this.#pauseSocket();
  };

  readonly #onDrain = (): void => {
    if (this.#choked) this.#goOn();
    else this.#turn?.drained();
  };

  /**
   * A client that closes its side has left, or has sent everything and still reads: on the wire both look the same, until
   * something is written. Once its response has begun it counts as gone, because a provider that is silent in the middle of
   * a stream must not be held open without a client. Before that, it is probed.
   */
  readonly #onEnd = (): void => {
    this.#clientFinished = true;
    const turn = this.#turn;
    if (this.#choked || this.#waits) return; // its requests are still served, as it reads the responses
    if (turn === undefined || turn.ended) this.socket.end();
    else if (this.#isCutOff || turn.underWay) this.socket.destroy();
    else for (const ms of PROBES_AFTER_MS) setTimeout(() => turn.probe(), ms).unref();
  };

  readonly #onError = (): void => {
    this.socket.destroy();
  };

  readonly #onClose = (): void => {
    this.#parts.connections.delete(this);
    this.#deadlineMs = 0;
    const turn = this.#turn;
    this.#turn = undefined;
    this.#sink = undefined;
    this.#parser.detach();
    turn?.lost();
  };

  #failed(error: unknown): void {
    if (!(error instanceof MalformedRequest)) throw error;
    this.#broken(error.fault, error.why);
  }

  /** The input is malformed; nothing after it will be parsed. */
  #broken(fault: RequestFault, why?: string): void {
    const sink = this.#sink;
    const turn = this.#turn;
    this.#sink = undefined;
    this.#parser.detach();
    if (turn === undefined) {
      this.#refuse(fault, why);
      return;
    }
    this.#deaf = true;
    this.#bodyWhole = true;
    turn.persistent = false;
    if (turn.ended) this.#linger();
    else if (sink?.onBroken() !== true) this.socket.destroy();
  }

  #refuse(fault: RequestFault, why?: string): void {
    this.#parser.detach();
    this.socket.write(this.#parts.handlers.onFault(fault, why));
    this.#linger();
  }

  /** Ends the sending side and waits for the client to close: closing first could destroy the response. */
  #linger(): void {
    this.#deaf = true;
    this.#discarded = 0;
    this.#parser.detach();
    this.#deadlineMs = performance.now() + this.#parts.lingerMs;
    this.socket.end();
    this.#resumeSocket();
  }

  #pauseSocket(): void {
    if (this.#socketPaused) return;
    this.#socketPaused = true;
    this.socket.pause();
  }

  #resumeSocket(): void {
    if (!this.#socketPaused) return;
    this.#socketPaused = false;
    this.socket.resume();
  }
}
