import type { BodySink, IncomingRequest } from "../../runtime/http/server.ts";
import type { UpstreamCall } from "../../runtime/http/upstream.ts";
import type { Exchange } from "../exchange.ts";
import { bodyTooLarge, ownAnswer } from "../refusal.ts";

/** Bodies up to here are collected and sent in one write, which also allows sending them a second time. */
export const COLLECT_BYTES_MAX = 1_024 * 1_024;

export interface UploadLimits {
  readonly bytesMax: number;
  /** Without progress for so long `exchange.onDeadline` is called: waiting for the client, for the provider. */
  readonly stallMs: number;
  readonly upstreamMs: number;
}

/** The client's body on its way to the spool and the provider. */
export class Upload implements BodySink {
  readonly #exchange: Exchange;
  readonly #incoming: IncomingRequest;
  readonly #limits: UploadLimits;
  readonly #onBytes: (bytes: Uint8Array) => void;
  readonly #onWhole: () => void;
  #received = 0;
  #paused = false;
  #stopped = false;
  finished = false;

  /**
   * Reads the whole body and then calls `onWhole`.
   *
   * @param more - what to do about a body that turns out longer: `pass` hands over what was read, and the rest as it
   * comes, once there is a call to pass it to.
   */
  static collect(
    exchange: Exchange,
    incoming: IncomingRequest,
    limits: UploadLimits,
    onWhole: (body: Uint8Array) => void,
    more?: { readonly bytesMax: number; readonly onMore: (pass: (call: UpstreamCall) => void) => void },
  ): Upload {
    const pieces: Uint8Array[] = [];
    let bytesSoFar = 0;
    let call: UpstreamCall | undefined;
    const pass = (to: UpstreamCall) => {
      call = to;
      let room = true;
      for (const piece of pieces.splice(0)) room = to.write(piece);
      if (upload.finished) to.end();
      else if (room) upload.resume();
    };
    const take = (bytes: Uint8Array) => {
      if (call !== undefined) {
        if (!call.write(bytes)) upload.#pause();
        return;
      }
      pieces.push(bytes);
      const before = bytesSoFar;
      bytesSoFar += bytes.byteLength;
      if (more === undefined || bytesSoFar <= more.bytesMax) return;
      upload.#pause();
      if (before <= more.bytesMax) more.onMore(pass);
    };
    const done = () => {
      if (call !== undefined) call.end();
      else if (more === undefined || bytesSoFar <= more.bytesMax)
        onWhole(pieces.length === 1 ? pieces[0]! : pieces.length === 0 ? EMPTY : Buffer.concat(pieces));
    };
    const upload: Upload = new Upload(exchange, incoming, limits, take, done);
    return upload;
  }

  /** Passes the body on as it comes, no faster than the provider takes it. */
  static stream(exchange: Exchange, incoming: IncomingRequest, limits: UploadLimits, call: UpstreamCall): Upload {
    const upload: Upload = new Upload(
      exchange,
      incoming,
      limits,
      (bytes) => {
        if (!call.write(bytes)) upload.#pause();
      },
      () => call.end(),
    );
    return upload;
  }

  private constructor(
    exchange: Exchange,
    incoming: IncomingRequest,
    limits: UploadLimits,
    onBytes: (bytes: Uint8Array) => void,
    onWhole: () => void,
  ) {
    this.#exchange = exchange;
    this.#incoming = incoming;
    this.#limits = limits;
    this.#onBytes = onBytes;
    this.#onWhole = onWhole;
    exchange.awaitProgress(limits.stallMs);
  }

  /** Lets the body come, once the exchange knows of this. */
  begin(): void {
    this.#incoming.read(this);
  }

  /** False while the provider is what holds the body up. */
  get waitsForClient(): boolean {
    return !this.#paused;
  }

  resume(): void {
    if (!this.#paused || this.#stopped) return;
    this.#paused = false;
    this.#exchange.awaitProgress(this.#limits.stallMs);
    this.#incoming.resume();
  }

  /** Nothing more of this body is passed on. */
  stop(): void {
    this.#stopped = true;
  }

  #pause(): void {
    this.#paused = true;
    this.#incoming.pause();
    this.#exchange.awaitProgress(this.#limits.upstreamMs);
  }

  onEnd(): void {
    if (this.#stopped) return;
    this.finished = true;
    this.#exchange.awaitProgress(this.#limits.upstreamMs);
    this.#onWhole();
  }

  onBroken(): boolean {
    this.#stopped = true;
    return this.#exchange.refuseBrokenBody();
  }

  onData(bytes: Uint8Array): void {
    if (this.#stopped) return;
    this.#received += bytes.byteLength;
    this.#exchange.awaitProgress(this.#limits.stallMs);
    if (this.#received > this.#limits.bytesMax) {
      this.#stopped = true;
      this.#exchange.answerOwn(ownAnswer("body_too_large", bodyTooLarge(this.#limits.bytesMax)));
      return;
    }
    this.#exchange.recording.requestBody(bytes);
    this.#onBytes(bytes);
  }
}

const EMPTY = new Uint8Array(0);
