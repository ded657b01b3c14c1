import type { BodySink, IncomingRequest } from "../../runtime/http/server.ts";
import type { UpstreamCall } from "../../runtime/http/upstream.ts";
import { bodyTooLarge, type OwnAnswer, ownAnswer } from "../refusal.ts";

export interface UploadLimits {
  readonly bytesMax: number;
  /** Without progress for so long the exchange ends: waiting for the client, for the provider. */
  readonly stallMs: number;
  readonly upstreamMs: number;
}

/** What an upload reports to its exchange. */
export interface UploadOwner {
  readonly recording: { requestBody(bytes: Uint8Array): void };
  awaitProgress(ms: number): void;
  answerOwn(own: OwnAnswer): void;
  /** @returns false where its response is already under way. */
  refuseBrokenBody(): boolean;
}

/**
 * The client's body on its way to the spool and the provider. `readWhole` brings it into memory, `pipe` passes it on
 * as it comes; a body that turns out too large for the first goes on with the second.
 */
export class Upload implements BodySink {
  readonly #owner: UploadOwner;
  readonly #incoming: IncomingRequest;
  readonly #limits: UploadLimits;
  /** What was read and not passed on. */
  #pieces: Uint8Array[] = [];
  #received = 0;
  #wholeBytesMax = 0;
  #settle: ((body: Uint8Array | undefined) => void) | undefined;
  #call: UpstreamCall | undefined;
  #isReading = false;
  #isPaused = false;
  #isStopped = false;
  finished = false;

  constructor(owner: UploadOwner, incoming: IncomingRequest, limits: UploadLimits) {
    this.#owner = owner;
    this.#incoming = incoming;
    this.#limits = limits;
  }

  /** @returns undefined where the body is over `bytesMax`, or the exchange has ended meanwhile. */
  readWhole(bytesMax: number): Promise<Uint8Array | undefined> {
    const { promise, resolve } = Promise.withResolvers<Uint8Array | undefined>();
    this.#wholeBytesMax = bytesMax;
    this.#settle = resolve;
    this.#read();
    return promise;
  }

  /** Passes on what was read and what is still to come, no faster than the provider takes it. */
  pipe(call: UpstreamCall): void {
    this.#call = call;
    let hasRoom = true;
    for (const piece of this.#pieces.splice(0)) hasRoom = call.write(piece);
    if (this.finished) call.end();
    else if (!this.#isReading) this.#read();
    else if (hasRoom) this.resume();
  }

  /** False while the provider is what holds the body up. */
  get waitsForClient(): boolean {
    return !this.#isPaused;
  }

  resume(): void {
    if (!this.#isPaused || this.#isStopped) return;
    this.#isPaused = false;
    this.#owner.awaitProgress(this.#limits.stallMs);
    this.#incoming.resume();
  }

  /** Nothing more of this body is passed on. */
  stop(): void {
    this.#isStopped = true;
    this.#settle?.(undefined);
  }

  #read(): void {
    this.#isReading = true;
    this.#incoming.sendContinue();
    this.#owner.awaitProgress(this.#limits.stallMs);
    this.#incoming.read(this);
  }

  #pause(): void {
    this.#isPaused = true;
    this.#incoming.pause();
    this.#owner.awaitProgress(this.#limits.upstreamMs);
  }

  onEnd(): void {
    if (this.#isStopped) return;
    this.finished = true;
    this.#owner.awaitProgress(this.#limits.upstreamMs);
    if (this.#call !== undefined) this.#call.end();
    else if (this.#received <= this.#wholeBytesMax) this.#settle?.(joined(this.#pieces.splice(0)));
  }

  onBroken(): boolean {
    this.stop();
    return this.#owner.refuseBrokenBody();
  }

  onData(bytes: Uint8Array): void {
    if (this.#isStopped) return;
    this.#received += bytes.byteLength;
    this.#owner.awaitProgress(this.#limits.stallMs);
    if (this.#received > this.#limits.bytesMax) {
      this.#isStopped = true;
      this.#owner.answerOwn(ownAnswer("body_too_large", bodyTooLarge(this.#limits.bytesMax)));
      this.#settle?.(undefined);
      return;
    }
    this.#owner.recording.requestBody(bytes);
    if (this.#call !== undefined) {
      if (!this.#call.write(bytes)) this.#pause();
      return;
    }
    this.#pieces.push(bytes);
    if (this.#received <= this.#wholeBytesMax) return;
    this.#pause();
    this.#settle?.(undefined);
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
}
