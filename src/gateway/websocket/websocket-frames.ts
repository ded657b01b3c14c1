import { constants, inflateRawSync } from "node:zlib";
import type { RawHeaders } from "../../spool/frame.ts";

const CONTINUATION = 0;
const TEXT = 1;
const BINARY = 2;
const PONG = 10;
const HEAD_BYTES_MAX = 14;
/** Size of the deflate window. */
const WINDOW_BYTES = 32_768;
/** A buffer of this size is kept for the next message. */
const KEPT_BYTES = 65_536;
/** The bytes that a sender omits at the end of each deflated message (RFC 7692 §7.2.1). */
const TAIL = Buffer.from([0, 0, 0xff, 0xff]);
const NOTHING = Buffer.alloc(0);

interface MessageSink {
  /**
   * One complete message.
   *
   * @param payload - valid during the call; undefined if there was no room for it, and `bytes` is then its size on the wire,
   * or if no more messages can be read.
   * @param isText - false also for a deflated message that could not be inflated.
   */
  onMessage(payload: Buffer | undefined, isText: boolean, bytes: number): void;
}

/**
 * Reads the messages of one WebSocket direction from a copy of its bytes. It goes silent on anything that is not WebSocket:
 * recording must not break a connection that works for both ends.
 */
export class MessageReader {
  readonly #sink: MessageSink;
  readonly #room: () => number;
  #inflate: Inflate | undefined;
  #head: Buffer = NOTHING;
  #silent = false;
  /** State of the current frame. */
  #payloadLeft = 0;
  #inPayload = false;
  readonly #mask = Buffer.alloc(4);
  #isMasked = false;
  #maskAt = 0;
  #isControl = false;
  #final = false;
  /** A message has begun, and its last frame has not arrived. */
  #isOpen = false;
  /** Holds the current message; grows with what has arrived, not with what frames announce. */
  #gathered: Buffer = NOTHING;
  #tooLarge = false;
  #messageBytes = 0;
  #isText = false;
  #isDeflated = false;

  /**
   * @param room - how many bytes of a message may be kept now. Larger ones are neither gathered nor inflated.
   * @param inflate - set if `permessage-deflate` was negotiated.
   */
  constructor(sink: MessageSink, room: () => number, inflate: Inflate | undefined) {
    this.#sink = sink;
    this.#room = room;
    this.#inflate = inflate;
  }

  execute(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.byteLength && !this.#silent) {
      at = this.#inPayload ? this.#payload(bytes, at) : this.#frameHead(bytes, at);
    }
  }

  #frameHead(bytes: Buffer, at: number): number {
    const before = this.#head.byteLength;
    // A frame of two bytes must cost little more than two bytes: nearly all heads are read where they are.
    const isWhole = before === 0 && bytes.byteLength - at >= HEAD_BYTES_MAX;
    const head = isWhole ? bytes : Buffer.concat([this.#head, bytes.subarray(at, at + HEAD_BYTES_MAX - before)]);
    const start = isWhole ? at : 0;
    const length = headLength(head, start);
    if (length === undefined || head.byteLength - start < length) {
      this.#head = head;
      return bytes.byteLength;
    }
    if (before > 0) this.#head = NOTHING;
    this.#begin(head, start, length);
    return at + length - before;
  }

  #begin(head: Buffer, at: number, length: number): void {
    const first = head[at]!;
    const second = head[at + 1]!;
    const opcode = first & 0x0f;
    const size = second & 0x7f;
    this.#final = (first & 0x80) !== 0;
    this.#isControl = opcode >= 8;
    this.#payloadLeft =
      size < 126 ? size : size === 126 ? head.readUInt16BE(at + 2) : Number(head.readBigUInt64BE(at + 2));
    this.#isMasked = (second & 0x80) !== 0;
    if (this.#isMasked) head.copy(this.#mask, 0, at + length - 4, at + length);
    this.#maskAt = 0;
    const begins = opcode === TEXT || opcode === BINARY;
    // A frame that continues no message, or begins one within another, would be joined to bytes that are not its message's.
    const isPossible = this.#isControl
      ? opcode <= PONG
      : (begins || opcode === CONTINUATION) && begins !== this.#isOpen;
    if (!isPossible || this.#payloadLeft > Number.MAX_SAFE_INTEGER) {
      this.#silent = true;
      this.#sink.onMessage(undefined, false, 0);
      return;
    }
    if (begins) {
      this.#isOpen = true;
      this.#tooLarge = false;
      this.#messageBytes = 0;
      this.#isText = opcode === TEXT;
      this.#isDeflated = (first & 0x40) !== 0;
    }
    this.#inPayload = this.#payloadLeft > 0;
    if (!this.#inPayload && !this.#isControl && this.#final) this.#finish();
  }

  #payload(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.byteLength, at + this.#payloadLeft);
    this.#payloadLeft -= end - at;
    if (!this.#isControl) this.#gather(bytes, at, end);
    if (this.#payloadLeft > 0) return end;
    this.#inPayload = false;
    if (!this.#isControl && this.#final) this.#finish();
    return end;
  }

  #gather(bytes: Buffer, at: number, end: number): void {
    const from = this.#messageBytes;
    this.#messageBytes += end - at;
    this.#tooLarge ||= this.#messageBytes > this.#room();
    if (this.#tooLarge) return;
    this.#grow(from);
    const gathered = this.#gathered;
    bytes.copy(gathered, from, at, end);
    const mask = this.#mask;
    if (this.#isMasked)
      for (let i = from; i < this.#messageBytes; i++) gathered[i]! ^= mask[(this.#maskAt + i - from) & 3]!;
    this.#maskAt += end - at;
  }

  /** Makes room for the current message, whose first `held` bytes are there. */
  #grow(held: number): void {
    const old = this.#gathered;
    if (old.byteLength >= this.#messageBytes) return;
    this.#gathered = Buffer.allocUnsafeSlow(Math.max(this.#messageBytes, old.byteLength * 2));
    old.copy(this.#gathered, 0, 0, held);
  }

  #finish(): void {
    this.#isOpen = false;
    const raw = this.#tooLarge ? undefined : this.#gathered.subarray(0, this.#messageBytes);
    if (this.#gathered.byteLength > KEPT_BYTES) this.#gathered = NOTHING;
    if (!this.#isDeflated) {
      this.#sink.onMessage(raw, this.#isText, this.#messageBytes);
      return;
    }
    // After a message that was not inflated the following ones cannot be: they refer to it.
    const plain = raw === undefined ? undefined : this.#inflate?.inflate(raw, this.#room());
    if (plain === undefined) this.#inflate = undefined;
    this.#sink.onMessage(plain ?? raw, plain !== undefined && this.#isText, plain?.byteLength ?? this.#messageBytes);
  }
}

/** Bytes of the frame's header at `at`, or undefined if too few have arrived to know its length. */
function headLength(head: Buffer, at: number): number | undefined {
  if (head.byteLength - at < 2) return undefined;
  const second = head[at + 1]!;
  const size = second & 0x7f;
  return 2 + (size === 126 ? 2 : size === 127 ? 8 : 0) + ((second & 0x80) === 0 ? 0 : 4);
}

/**
 * Inflates the messages of one direction. If the sender keeps its window between messages, the last 32 kB of output serve as
 * a dictionary, so that each message is inflated in one step.
 */
class Inflate {
  readonly #keepsWindow: boolean;
  #window: Buffer = Buffer.alloc(0);

  constructor(keepsWindow: boolean) {
    this.#keepsWindow = keepsWindow;
  }

  /** @returns undefined if the message is not deflated, or exceeds `bytesMax`. */
  inflate(message: Buffer, bytesMax: number): Buffer | undefined {
    let plain: Buffer;
    try {
      plain = inflateRawSync(Buffer.concat([message, TAIL]), {
        finishFlush: constants.Z_SYNC_FLUSH,
        maxOutputLength: Math.max(1, bytesMax),
        ...(this.#window.byteLength > 0 ? { dictionary: this.#window } : {}),
      });
    } catch {
      return undefined;
    }
    if (this.#keepsWindow) {
      const all = plain.byteLength >= WINDOW_BYTES ? plain : Buffer.concat([this.#window, plain]);
      this.#window = Buffer.from(all.subarray(Math.max(0, all.byteLength - WINDOW_BYTES)));
    }
    return plain;
  }
}

/** The inflater negotiated by the 101 response for one direction. */
export function agreedInflate(headers: RawHeaders, direction: "client" | "provider"): Inflate | undefined {
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at]!.toLowerCase() !== "sec-websocket-extensions") continue;
    const value = headers[at + 1]!.toLowerCase();
    if (!value.includes("permessage-deflate")) continue;
    const forgets = value.includes(
      direction === "client" ? "client_no_context_takeover" : "server_no_context_takeover",
    );
    return new Inflate(!forgets);
  }
  return undefined;
}
