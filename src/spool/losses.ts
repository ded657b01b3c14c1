import { encodeFrame, FRAME_HEAD_BYTES, frameBytes, frameId, frameKind } from "./codec.ts";
import { type EndMeta, FRAME, type FrameKind } from "./frame.ts";

/** The losses of an exchange, as bits. */
const UNRECORDED = 1;
const REQUEST = 2;
const RESPONSE = 4;

/** The loss caused by a dropped frame of this kind; `head` and `end` are kept and written later, so they cause none. */
const LOSS: Readonly<Partial<Record<FrameKind, number>>> = {
  [FRAME.begin]: UNRECORDED,
  [FRAME.requestChunk]: REQUEST,
  [FRAME.responseChunk]: RESPONSE,
  [FRAME.message]: RESPONSE,
  [FRAME.providerRequestChunk]: REQUEST,
  [FRAME.providerResponseChunk]: RESPONSE,
};

/** Memory for heads and ends that wait for space; about a hundred thousand exchanges. */
const OWED_BYTES_MAX = 32 * 1024 * 1024;
/**
 * Maximum number of exchanges with known losses; beyond this the oldest are forgotten, which only makes a `truncated` mark
 * inexact.
 */
const HURT_MAX = 200_000;

/**
 * Losses caused by a full disk: what each exchange in flight lost, so that each is counted once, no body gets a hole in its
 * middle, and the record of an exchange whose `begin` is on disk is marked as truncated.
 */
export class Losses {
  readonly #hurt = new Map<string, number>();
  #owed: Buffer[] = [];
  #owedBytes = 0;
  /** Exchanges whose record is missing or incomplete since the start. */
  exchanges = 0;

  /** False for nearly every exchange: the only look-up on the hot path. */
  has(id: string): boolean {
    return this.#hurt.size > 0 && this.#hurt.has(id);
  }

  /** Whether a frame of this kind is still useful: no frame is without its `begin`, no chunk is after a lost one. */
  takes(kind: FrameKind, id: string): boolean {
    const lost = this.#hurt.get(id) ?? 0;
    return (lost & (UNRECORDED | (LOSS[kind] ?? 0))) === 0;
  }

  /** Records that this frame was not written; `text` is the payload of a head or an end. */
  lose(kind: FrameKind, id: string, text?: string): void {
    const loss = LOSS[kind];
    const before = this.#hurt.get(id) ?? 0;
    if ((before & UNRECORDED) !== 0) return;
    const frame = loss === undefined && text !== undefined ? encodeFrame(kind, id, Buffer.from(text)) : undefined;
    if (frame !== undefined && this.#owedBytes + frame.byteLength <= OWED_BYTES_MAX) {
      this.#owed.push(frame);
      this.#owedBytes += frame.byteLength;
    } else this.#hurtBy(id, before, loss ?? RESPONSE);
  }

  /** Records the loss of every frame in `frames`, in order. */
  loseAll(frames: Buffer): void {
    for (let at = 0; at < frames.byteLength; ) {
      const end = at + frameBytes(frames, at, frames.byteLength);
      const kind = frameKind(frames, at);
      const id = frameId(frames, at);
      const text = kind in LOSS ? undefined : frames.toString("utf8", at + FRAME_HEAD_BYTES, end);
      if (kind === FRAME.end && text !== undefined && this.has(id)) {
        const closing = this.closing(id, JSON.parse(text) as EndMeta);
        if (closing !== undefined) this.lose(kind, id, JSON.stringify(closing));
      } else this.lose(kind, id, text);
      at = end;
    }
  }

  /** The end of an exchange with its losses, or undefined if the exchange is not recorded; forgets the exchange. */
  closing(id: string, meta: EndMeta): EndMeta | undefined {
    if (this.#hurt.size === 0) return meta;
    const lost = this.#hurt.get(id);
    if (lost === undefined) return meta;
    this.#hurt.delete(id);
    if ((lost & UNRECORDED) !== 0) return undefined;
    return {
      ...meta,
      ...((lost & REQUEST) !== 0 && { requestTruncated: true as const }),
      ...((lost & RESPONSE) !== 0 && { responseTruncated: true as const }),
    };
  }

  /** The heads and ends that wait to be written, as one sequence of frames. */
  owed(): Buffer {
    const all = Buffer.concat(this.#owed);
    this.#owed = all.byteLength === 0 ? [] : [all];
    return all;
  }

  /** Removes the first `bytes` of the result of `owed`, once written. */
  paid(bytes: number): void {
    const left = Buffer.concat(this.#owed).subarray(bytes);
    this.#owed = left.byteLength === 0 ? [] : [left];
    this.#owedBytes = left.byteLength;
  }

  #hurtBy(id: string, before: number, loss: number): void {
    if (before === 0) this.exchanges++;
    this.#hurt.set(id, before | loss);
    if (this.#hurt.size <= HURT_MAX) return;
    for (const oldest of this.#hurt.keys()) {
      this.#hurt.delete(oldest);
      break;
    }
  }
}
