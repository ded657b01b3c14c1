import { encodeFrame, FRAME_HEAD_BYTES, frameBytes, frameId, frameKind } from "./codec.ts";
import { type EndMeta, FRAME, type FrameKind } from "./frame.ts";

/** What an exchange has lost, as bits. */
const UNRECORDED = 1;
const REQUEST = 2;
const RESPONSE = 4;

/** Which loss a frame of this kind is; `head` and `end` are kept and written later, so they are none. */
const LOSS: Readonly<Partial<Record<FrameKind, number>>> = {
  [FRAME.begin]: UNRECORDED,
  [FRAME.requestChunk]: REQUEST,
  [FRAME.responseChunk]: RESPONSE,
  [FRAME.message]: RESPONSE,
  [FRAME.providerRequestChunk]: REQUEST,
  [FRAME.providerResponseChunk]: RESPONSE,
};

/** Memory for the heads and ends that wait for space; about a hundred thousand exchanges. */
const OWED_BYTES_MAX = 32 * 1024 * 1024;
/** Exchanges remembered as hurt; beyond this the oldest are forgotten, which costs only an exact `truncated` mark. */
const HURT_MAX = 200_000;

/**
 * What full disks have cost: which exchanges in flight lost what, so that each is counted once, no body gets a hole in
 * its middle, and the record of an exchange whose `begin` is on disk says that it is truncated.
 */
export class Losses {
  readonly #hurt = new Map<string, number>();
  #owed: Buffer[] = [];
  #owedBytes = 0;
  /** Exchanges that lost their record or a part of it since the start. */
  exchanges = 0;

  /** False for nearly every exchange, nearly always: the one look-up that the hot path pays. */
  has(id: string): boolean {
    return this.#hurt.size > 0 && this.#hurt.has(id);
  }

  /** Whether a frame of this kind still has a use: nothing has without a begin, no chunk has behind a lost one. */
  takes(kind: FrameKind, id: string): boolean {
    const lost = this.#hurt.get(id) ?? 0;
    return (lost & (UNRECORDED | (LOSS[kind] ?? 0))) === 0;
  }

  /** Notes that this frame was not written; `text` is the payload of a head or an end. */
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

  /** Notes the loss of every frame in `frames`, in order. */
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

  /** The end of an exchange with what it lost, or undefined where the exchange is not recorded; forgets the exchange. */
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

  /** The heads and ends that wait to be written, as one run of frames. */
  owed(): Buffer {
    const all = Buffer.concat(this.#owed);
    this.#owed = all.byteLength === 0 ? [] : [all];
    return all;
  }

  /** Forgets the first `bytes` of what `owed` gave. */
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
