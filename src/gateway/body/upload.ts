import type { BodySink, IncomingRequest } from "../../runtime/http/server.ts";
import type { UpstreamCall } from "../../runtime/http/upstream.ts";
import { bodyTooLarge, type OwnResponse, ownResponse } from "../refusal.ts";

interface UploadLimits {
  readonly bodyBytesMax: number;
  /** How long an exchange may make no progress: while it waits for the client, and for the provider. */
  readonly uploadStallMs: number;
  readonly upstreamTimeoutMs: number;
}

/** Called once; undefined if the body exceeds the limit or the exchange has ended. */
type OnWhole = (body: Uint8Array | undefined) => void;

interface BodyRoom {
  /** @returns false if there is no room for these bytes. */
  grow(bytes: number): boolean;
}

/** Callbacks of an upload to its exchange. */
export interface UploadOwner {
  readonly recording: { requestBody(bytes: Uint8Array): void };
  awaitProgress(ms: number): void;
  respondOwn(own: OwnResponse, outcome?: "failed"): void;
  /** @returns false if its response has already begun. */
  refuseBrokenBody(): boolean;
}

/**
 * The client's body on its way to the spool and the provider. `readWhole` reads it into memory, `pipe` streams it; a body
 * too large for `readWhole` continues with `pipe`.
 */
export class Upload implements BodySink {
  readonly #owner: UploadOwner;
  readonly #incoming: IncomingRequest;
  readonly #limits: UploadLimits;
  /** Read but not yet passed on; undefined if there is nothing. */
  #pieces: Uint8Array[] | undefined;
  #received = 0;
  #wholeBytesMax = 0;
  #settle: OnWhole | undefined;
  #room: BodyRoom | undefined;
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

  /**
   * Reads the body into memory; `onWhole` is called in the turn in which its last byte arrives.
   *
   * @param room - enlarged if the body exceeds its declared size; without it the size is not limited by memory.
   */
  readWhole(bytesMax: number, onWhole: OnWhole, room?: BodyRoom): void {
    this.#wholeBytesMax = bytesMax;
    this.#settle = onWhole;
    this.#room = room;
    this.#read();
  }

  /** Streams what was read and the rest, with back-pressure from the provider. */
  pipe(call: UpstreamCall): void {
    this.#call = call;
    let hasRoom = true;
    for (const piece of this.#take()) hasRoom = call.write(piece);
    if (this.finished) call.end();
    else if (!this.#isReading) this.#read();
    else if (hasRoom) this.resume();
  }

  /** False while the provider holds the body up. */
  get waitsForClient(): boolean {
    return !this.#isPaused;
  }

  resume(): void {
    if (!this.#isPaused || this.#isStopped) return;
    this.#isPaused = false;
    this.#owner.awaitProgress(this.#limits.uploadStallMs);
    this.#incoming.resume();
  }

  /** Stops passing on this body. */
  stop(): void {
    this.#isStopped = true;
    this.#settled(undefined);
  }

  #take(): readonly Uint8Array[] {
    const pieces = this.#pieces ?? [];
    this.#pieces = undefined;
    return pieces;
  }

  #settled(body: Uint8Array | undefined): void {
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.(body);
  }

  #read(): void {
    this.#isReading = true;
    this.#incoming.sendContinue();
    this.#owner.awaitProgress(this.#limits.uploadStallMs);
    this.#incoming.read(this);
  }

  #pause(): void {
    this.#isPaused = true;
    this.#incoming.pause();
    this.#owner.awaitProgress(this.#limits.upstreamTimeoutMs);
  }

  onEnd(): void {
    if (this.#isStopped) return;
    this.finished = true;
    this.#owner.awaitProgress(this.#limits.upstreamTimeoutMs);
    if (this.#call !== undefined) this.#call.end();
    else if (this.#received <= this.#wholeBytesMax) this.#settled(joined(this.#take()));
  }

  onBroken(): boolean {
    this.stop();
    return this.#owner.refuseBrokenBody();
  }

  onData(bytes: Uint8Array): void {
    if (this.#isStopped) return;
    this.#received += bytes.byteLength;
    this.#owner.awaitProgress(this.#limits.uploadStallMs);
    if (this.#received > this.#limits.bodyBytesMax) {
      this.#isStopped = true;
      this.#owner.respondOwn(ownResponse("body_too_large", bodyTooLarge(this.#limits.bodyBytesMax)));
      this.#settled(undefined);
      return;
    }
    this.#owner.recording.requestBody(bytes);
    if (this.#call !== undefined) {
      if (!this.#call.write(bytes)) this.#pause();
      return;
    }
    if (this.#pieces === undefined) this.#pieces = [bytes];
    else this.#pieces.push(bytes);
    if (this.#received <= this.#wholeBytesMax) {
      if (this.#room === undefined || this.#room.grow(this.#received)) return;
      this.#isStopped = true;
      this.#owner.respondOwn(ownResponse("bodies_full"), "failed");
      this.#settled(undefined);
      return;
    }
    this.#pause();
    this.#settled(undefined);
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
}
