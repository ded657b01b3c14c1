import { PassingMap } from "../../runtime/passing-map.ts";
import { FRAME_HEAD_BYTES, frameId, frameKey, frameKind, hasId, keyOfId } from "../../spool/codec.ts";
import {
  type BeginMeta,
  type EndMeta,
  FRAME,
  type FrameKind,
  type HeadMeta,
  type Position,
  type StartMeta,
} from "../../spool/frame.ts";
import { isBefore } from "../../spool/position.ts";
import { readBegin, readEnd, readHead, readStart, UnreadableFrame, type WithHeaders } from "../../spool/read-meta.ts";
import { Capture, InlineBudget } from "./capture.ts";
import { type Exchange, release } from "./exchange.ts";
import { ProviderSide } from "./provider-side.ts";

interface AssemblerOptions {
  /** Maximum bytes kept of each body. */
  readonly bodyBytesMax: number;
  /** Exchanges that ended before this position are already in the database and are skipped. */
  readonly recordedUpTo: Position;
  /** The database may have a row for exchanges that began before this position. */
  readonly unknownUpTo: Position;
  /** An exchange began with the id of an exchange in flight. */
  readonly onCollision: (id: string) => void;
}

/**
 * Assembles exchanges from the frames of many interleaved ones.
 *
 * `frame` copies what it keeps. Frames without a begin frame are skipped: their exchange is already in the database, or its
 * begin was lost and the writer counted that.
 */
export class Assembler {
  readonly #bodyBytesMax: number;
  readonly #recordedUpTo: Position;
  readonly #unknownUpTo: Position;
  readonly #onCollision: (id: string) => void;
  readonly #budget = new InlineBudget();
  readonly #open = new PassingMap<string, Exchange>();
  /** Id and key of the last frame: consecutive frames mostly belong to one exchange. */
  readonly #lastId = new Uint8Array(16);
  #lastKey: string | undefined;
  #run: string | undefined;
  #done: Exchange[] = [];
  /** Total bytes of the bodies that `takeDone` will return. */
  doneBytes = 0;

  constructor(options: AssemblerOptions) {
    this.#bodyBytesMax = options.bodyBytesMax;
    this.#recordedUpTo = options.recordedUpTo;
    this.#unknownUpTo = options.unknownUpTo;
    this.#onCollision = options.onCollision;
  }

  /** Exchanges that have not ended, in the order of their begin. */
  get inFlight(): Iterable<Exchange> {
    return this.#open.values();
  }

  get inFlightCount(): number {
    return this.#open.size;
  }

  get doneCount(): number {
    return this.#done.length;
  }

  find(id: string): Exchange | undefined {
    return this.#open.get(keyOfId(id));
  }

  /** Exchanges that ended since the last call, in the order of their ends. */
  takeDone(): Exchange[] {
    const done = this.#done;
    this.#done = [];
    this.doneBytes = 0;
    return done;
  }

  /** The earliest position that any exchange in flight needs, or `otherwise` if that is earlier. */
  neededFrom(otherwise: Position): Position {
    let first = otherwise;
    for (const { needs } of this.#open.values()) if (isBefore(needs, first)) first = needs;
    return first;
  }

  /**
   * A FrameSink: takes the frame `[at, end)` of `buffer`, which is at `offset` in `segment`.
   *
   * @throws UnreadableFrame if this program cannot have written the frame; exchanges in flight stay unchanged.
   */
  // biome-ignore lint/complexity/useMaxParams: called for every frame; an object for its place would be garbage of the hot path
  frame(buffer: Buffer, at: number, end: number, segment: number, offset: number): void {
    const kind = frameKind(buffer, at);
    const payload = at + FRAME_HEAD_BYTES;
    if (kind === FRAME.start) {
      this.startRun(readStart(buffer, payload, end), { segment, offset });
      return;
    }
    const key = this.#keyOf(buffer, at);
    const exchange = this.#open.get(key);
    if (exchange === undefined) {
      if (kind !== FRAME.begin) {
        isKnown(kind);
        return;
      }
      const begin = readBegin(buffer, payload, end);
      this.#open.set(key, this.#create(frameId(buffer, at), begin, { segment, offset }));
    } else if (
      segment < exchange.needs.segment ||
      (segment === exchange.needs.segment && offset < exchange.needs.offset)
    )
      return;
    else if (kind === FRAME.begin) this.#onCollision(exchange.id);
    else if (kind === FRAME.end) this.#finish(key, exchange, readEnd(buffer, payload, end), { segment, offset });
    else if (kind === FRAME.head) this.#setHead(exchange, readHead(buffer, payload, end));
    else if (!isOfProvider(kind)) this.#add(exchange, kind, buffer, payload, end, segment, offset + FRAME_HEAD_BYTES);
    else
      this.#provider(exchange).add(kind, { buffer, from: payload, to: end, segment, place: offset + FRAME_HEAD_BYTES });
  }

  /**
   * Takes a frame from carry file `number`, at `offset` in it.
   *
   * @param read - the position in the spool up to which that file holds this exchange's frames.
   */
  carried(frame: Buffer, number: number, offset: number, read: Position): void {
    const kind = frameKind(frame, 0);
    const end = frame.byteLength;
    const key = frameKey(frame, 0);
    if (kind === FRAME.start) {
      // Frames of an earlier run in an older file were recorded when this run began.
      this.startRun(readStart(frame, FRAME_HEAD_BYTES, end), NOWHERE);
    } else if (kind === FRAME.begin) {
      const exchange = this.#create(frameId(frame, 0), readBegin(frame, FRAME_HEAD_BYTES, end), NOWHERE);
      this.#open.set(key, Object.assign(exchange, { needs: read, carry: number }));
    } else {
      const exchange = this.#open.get(key);
      if (exchange === undefined) return;
      const [from, place] = [FRAME_HEAD_BYTES, offset + FRAME_HEAD_BYTES];
      if (kind === FRAME.head) this.#setHead(exchange, readHead(frame, from, end));
      else if (!isOfProvider(kind)) this.#add(exchange, kind, frame, from, end, -number, place);
      else this.#provider(exchange).add(kind, { buffer: frame, from, to: end, segment: -number, place });
    }
  }

  /**
   * A frame of this exchange is lost: its record notes that a part is missing. An exchange that lost its end frame has
   * ended.
   */
  lost(kind: FrameKind, id: string, origin: Position): void {
    const exchange = this.find(id);
    if (exchange === undefined || isBefore(origin, exchange.needs)) return;
    exchange.incomplete = true;
    if (kind === FRAME.end) this.#finish(keyOfId(id), exchange, cutOff(exchange, exchange.begin.time), origin);
  }

  /** Drops an exchange whose final record is in the database. */
  forget(id: string): void {
    const exchange = this.find(id);
    if (exchange === undefined) return;
    this.#open.delete(keyOfId(id));
    release(exchange);
  }

  /** At `origin` another run of the program began, or a writer of this run died: its open exchanges will never end. */
  startRun({ run, time, gone }: StartMeta, origin: Position): void {
    const isSame = run === this.#run;
    if (isSame && gone === undefined) return;
    this.#run = run;
    for (const [key, exchange] of [...this.#open.entries()]) {
      if (isSame && exchange.begin.writer !== gone) continue;
      this.#finish(key, exchange, cutOff(exchange, time), origin);
    }
  }

  get run(): string | undefined {
    return this.#run;
  }

  #keyOf(buffer: Buffer, at: number): string {
    if (this.#lastKey !== undefined && hasId(buffer, at, this.#lastId)) return this.#lastKey;
    for (let byte = 0; byte < 16; byte++) this.#lastId[byte] = buffer[at + 9 + byte]!;
    this.#lastKey = frameKey(buffer, at);
    return this.#lastKey;
  }

  // biome-ignore lint/complexity/useMaxParams: called for every frame; an object for its place would be garbage of the hot path
  #add(
    exchange: Exchange,
    kind: FrameKind,
    buffer: Buffer,
    payload: number,
    end: number,
    segment: number,
    place: number,
  ): void {
    if (kind === FRAME.responseChunk) exchange.response.add(buffer, payload, end, segment, place);
    else if (kind === FRAME.requestChunk) exchange.request.add(buffer, payload, end, segment, place);
    else if (kind === FRAME.message) {
      exchange.messages ??= this.#capture();
      exchange.messages.add(buffer, payload, end, segment, place);
    } else isKnown(kind);
  }

  #capture(): Capture {
    return new Capture(this.#budget, this.#bodyBytesMax);
  }

  /** Most exchanges have no provider side: the provider receives and sends what the client sends and receives. */
  #provider(exchange: Exchange): ProviderSide {
    exchange.provider ??= new ProviderSide(() => this.#capture());
    return exchange.provider;
  }

  #setHead(exchange: Exchange, head: WithHeaders<HeadMeta>): void {
    const { target, path, provider, sent } = head;
    if (sent !== undefined) this.#provider(exchange).sent(head, sent, exchange.begin.headers);
    exchange.head = head;
    if (target === undefined || provider === undefined) return;
    // The record describes the call whose response the client received: a fallback, or the target of a unified-address model.
    exchange.begin = { ...exchange.begin, target, provider, ...(path !== undefined && { path }) };
  }

  #create(id: string, begin: WithHeaders<BeginMeta>, origin: Position): Exchange {
    return {
      id,
      begin,
      request: this.#capture(),
      response: this.#capture(),
      messages: undefined,
      provider: undefined,
      head: undefined,
      end: undefined,
      needs: origin,
      carry: 0,
      readAt: performance.now(),
      row: isBefore(origin, this.#unknownUpTo) ? "unknown" : "none",
      key: undefined,
      dropped: false,
      updated: undefined,
      incomplete: false,
    };
  }

  #finish(key: string, exchange: Exchange, end: EndMeta, origin: Position): void {
    this.#open.delete(key);
    exchange.end = end;
    exchange.provider?.settle(end);
    if (isBefore(origin, this.#recordedUpTo)) {
      release(exchange);
      return;
    }
    this.#done.push(exchange);
    this.doneBytes += exchange.request.bytes + exchange.response.bytes + (exchange.messages?.bytes ?? 0);
    const { provider } = exchange;
    if (provider === undefined) return;
    this.doneBytes += provider.bytes;
    if (provider.requestHead?.edited !== undefined) this.doneBytes += exchange.request.bytes;
  }
}

/** Before every position in the spool. */
const NOWHERE: Position = { segment: -1, offset: 0 };

function isOfProvider(kind: FrameKind): boolean {
  return kind >= FRAME.providerRequest && kind <= FRAME.providerResponseChunk;
}

const KINDS: ReadonlySet<number> = new Set(Object.values(FRAME));

function isKnown(kind: FrameKind): void {
  if (!KINDS.has(kind)) throw new UnreadableFrame(`there is no kind ${kind}`);
}

function cutOff(exchange: Exchange, time: number): EndMeta {
  return {
    time,
    outcome: "cut_off",
    requestBytes: exchange.request.bytes,
    responseBytes: exchange.response.bytes,
  };
}
