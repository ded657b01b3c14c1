import type { IncomingMessage } from "node:http";
import type { UpstreamCall } from "../runtime/upstream.ts";
import type { Exchange } from "./exchange.ts";
import { ownAnswer } from "./refusal.ts";

/** Bodies up to here are collected and sent in one write, which also allows sending them a second time. */
export const COLLECT_BYTES_MAX = 1_024 * 1_024;
/** A body that is not wanted any more is read on for so long, because closing at once would destroy the answer. */
const DISCARD_BYTES_MAX = 64 * 1_024 * 1_024;
const DISCARD_MS = 10_000;

export interface UploadLimits {
  readonly bytesMax: number;
  /** Without progress for so long `exchange.onDeadline` is called: waiting for the client, for the provider. */
  readonly stallMs: number;
  readonly upstreamMs: number;
}

/** The client's body on its way to the spool and the provider. */
export class Upload {
  readonly #exchange: Exchange;
  readonly #incoming: IncomingMessage;
  readonly #limits: UploadLimits;
  readonly #onData: (bytes: Uint8Array) => void;
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
    incoming: IncomingMessage,
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
  static stream(exchange: Exchange, incoming: IncomingMessage, limits: UploadLimits, call: UpstreamCall): Upload {
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
    incoming: IncomingMessage,
    limits: UploadLimits,
    onData: (bytes: Uint8Array) => void,
    onWhole: () => void,
  ) {
    this.#exchange = exchange;
    this.#incoming = incoming;
    this.#limits = limits;
    this.#onData = onData;
    exchange.awaitProgress(limits.stallMs);
    incoming.on("data", (bytes: Uint8Array) => this.#take(bytes));
    incoming.on("end", () => {
      if (this.#stopped) return;
      this.finished = true;
      exchange.awaitProgress(limits.upstreamMs);
      onWhole();
    });
    // A client that breaks off is reported by its answer's 'close'; without a listener this would end the process.
    incoming.on("error", () => this.stop());
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

  /** The answer is out before the body was in. */
  discard(): void {
    if (this.finished) return;
    this.#stopped = true;
    discardBody(this.#incoming);
  }

  #pause(): void {
    this.#paused = true;
    this.#incoming.pause();
    this.#exchange.awaitProgress(this.#limits.upstreamMs);
  }

  #take(bytes: Uint8Array): void {
    if (this.#stopped) return;
    this.#received += bytes.byteLength;
    this.#exchange.awaitProgress(this.#limits.stallMs);
    if (this.#received > this.#limits.bytesMax) {
      this.#stopped = true;
      this.#exchange.answerOwn(ownAnswer("body_too_large", `the body is over ${this.#limits.bytesMax} bytes`));
      return;
    }
    this.#exchange.recording.requestBody(bytes);
    this.#onData(bytes);
  }
}

/** Reads a body away for a while, so that the answer to it arrives, and then gives up the connection. */
export function discardBody(incoming: IncomingMessage): void {
  if (incoming.complete) return;
  let received = 0;
  const giveUp = setTimeout(() => incoming.destroy(), DISCARD_MS);
  giveUp.unref();
  const over = () => clearTimeout(giveUp);
  incoming.on("data", (bytes: Uint8Array) => {
    received += bytes.byteLength;
    if (received > DISCARD_BYTES_MAX) incoming.destroy();
  });
  incoming.on("end", over);
  incoming.on("close", over);
  incoming.on("error", over);
  incoming.resume();
}

const EMPTY = new Uint8Array(0);
