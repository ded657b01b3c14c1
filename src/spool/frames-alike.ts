import type { RawHeaders } from "./frame.ts";
import { numberEnd, timeIn } from "./frame-number.ts";
import { HeaderList, readPairs } from "./header-list.ts";

/** What differs between frames that are otherwise alike. */
interface Varying {
  readonly time: number;
  readonly gateway?: RawHeaders;
  readonly headers: HeaderList;
}

/** A frame that was read, without its time and its lists. */
interface Known<Meta> {
  /** The bytes from its time to its first list. */
  readonly before: Buffer;
  /** Those from its list `gateway` to its headers; undefined if it has only headers. */
  readonly between: Buffer | undefined;
  readonly meta: Meta;
}

type Read<Meta> = (buffer: Buffer, from: number, to: number) => Meta;

const TIME = Buffer.from('{"time":');
const TIME_AGAIN = Buffer.from(',"time":');
/** Within a string, the quotes of these would be escaped. */
const GATEWAY = Buffer.from(',"gateway":');
const HEADERS = Buffer.from(',"headers":');
const [CLOSING, COMMA] = [0x7d, 0x2c];

/** Slots for frames; one that falls into the slot of another replaces it. */
const SLOTS = 256;
/** The slot depends on a few bytes this far before the first list: a hash of the key, or a status, ends there. */
const DISTINCT = 3;
/** Longer frames are not remembered. */
const BYTES_MAX = 8_192;

/**
 * Reads frames of one kind. Those of a client differ mostly in their time and their lists of headers only: a frame that is like
 * an earlier one in all other bytes says the same, and is neither parsed nor checked again. All such frames share what they say
 * besides: it must not be changed. Frames that do not start with their time, as those of further gateway threads, are never alike.
 */
export class FramesAlike<Meta extends Varying> {
  readonly #read: Read<Meta>;
  readonly #firstList: Buffer;
  readonly #slots: (Known<Meta> | undefined)[] = Array(SLOTS).fill(undefined);

  /** @param read - how every frame can be read. */
  constructor(read: Read<Meta>, { hasGateway }: { readonly hasGateway: boolean }) {
    this.#read = read;
    this.#firstList = hasGateway ? GATEWAY : HEADERS;
  }

  /** Reads the payload `[from, to)` of a frame. @throws as the other reader does. */
  read(buffer: Buffer, from: number, to: number): Meta {
    const frame = buffer.subarray(from, to);
    const timeEnd = numberEnd(frame, TIME.byteLength);
    const label = frame.indexOf(this.#firstList);
    if (label < timeEnd + DISTINCT) return this.#read(buffer, from, to);
    const list = label + this.#firstList.byteLength;
    const slot = ((list - timeEnd) * 31 + frame[label - 2]! * 7 + frame[label - DISTINCT]! * 13) % SLOTS;
    const known = this.#slots[slot];
    const like = known?.before.equals(frame.subarray(timeEnd, list)) && likeKnown(known, frame, timeEnd, list);
    if (like) return like;
    const meta = this.#read(buffer, from, to);
    if (frame.byteLength <= BYTES_MAX) this.#slots[slot] = knownOf(meta, frame, timeEnd, list) ?? known;
    return meta;
  }
}

/** What a frame says that is like a known one up to its first list, at `list`; undefined if it is not like it from there on. */
function likeKnown<Meta extends Varying>(
  { between, meta }: Known<Meta>,
  frame: Buffer,
  timeEnd: number,
  list: number,
): Meta | undefined {
  const time = startsLike(frame, TIME) ? timeIn(frame, TIME.byteLength, timeEnd) : undefined;
  const listEnd = between === undefined ? list : frame.indexOf(between, list);
  const gateway = between === undefined ? undefined : readPairs(frame, list, listEnd);
  const headersAt = listEnd + (between?.byteLength ?? 0);
  const headers = HeaderList.read(frame, headersAt, frame.byteLength - 1);
  if (time === undefined || headers === undefined || frame[frame.byteLength - 1] !== CLOSING) return undefined;
  if (between === undefined) return { ...meta, time, headers };
  return gateway && { ...meta, time, gateway, headers };
}

/**
 * @returns undefined if a member follows the headers, the time is spelled with an exponent, or its or the list's name comes
 * again, where the last one counts: other frames are not like it.
 */
function knownOf<Meta extends Varying>(
  meta: Meta,
  frame: Buffer,
  timeEnd: number,
  list: number,
): Known<Meta> | undefined {
  const hasGateway = meta.gateway !== undefined;
  const listEnd = hasGateway ? list + Buffer.byteLength(JSON.stringify(meta.gateway)) : list;
  const headersAt = hasGateway ? frame.indexOf(HEADERS) + HEADERS.byteLength : list;
  const isLast = headersAt + meta.headers.bytes.byteLength === frame.byteLength - 1;
  if (!isLast || headersAt < listEnd || frame[timeEnd] !== COMMA) return undefined;
  if (frame.includes(TIME_AGAIN) || (hasGateway && frame.lastIndexOf(GATEWAY) + GATEWAY.byteLength !== list))
    return undefined;
  const before = Buffer.from(frame.subarray(timeEnd, list));
  return { before, between: hasGateway ? Buffer.from(frame.subarray(listEnd, headersAt)) : undefined, meta };
}

function startsLike(frame: Buffer, start: Buffer): boolean {
  for (let at = 0; at < start.byteLength; at++) if (frame[at] !== start[at]) return false;
  return true;
}
