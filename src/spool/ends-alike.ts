import type { EndMeta } from "./frame.ts";
import { countIn, numberEnd, timeIn } from "./frame-number.ts";

/** The numbers that differ from frame to frame, and how they are read. */
const READ = {
  time: timeIn,
  requestBytes: countIn,
  responseBytes: countIn,
  forwardedAt: timeIn,
  firstByteAt: timeIn,
} as const satisfies { readonly [Name in keyof EndMeta]?: typeof timeIn };
type Varying = keyof typeof READ;

/** A frame that was read, without these numbers. */
interface Known {
  readonly names: readonly Varying[];
  /** The bytes before each number. */
  readonly before: readonly Buffer[];
  /** The bytes behind the last one. */
  readonly rest: Buffer;
  readonly meta: EndMeta;
}

/** Longer frames are not remembered. */
const BYTES_MAX = 1_024;

/** Reads end frames. Most differ from the one before them only in numbers; those are not parsed and checked again. */
export class EndsAlike {
  readonly #read: (buffer: Buffer, from: number, to: number) => EndMeta;
  #known: Known | undefined;

  /** @param read - how every frame can be read. */
  constructor(read: (buffer: Buffer, from: number, to: number) => EndMeta) {
    this.#read = read;
  }

  /** Reads the payload `[from, to)` of a frame. @throws as the other reader does. */
  read(buffer: Buffer, from: number, to: number): EndMeta {
    const like = this.#known && likeKnown(this.#known, buffer, from, to);
    if (like !== undefined) return like;
    const meta = this.#read(buffer, from, to);
    if (to - from <= BYTES_MAX) this.#known = knownOf(meta, buffer.toString("utf8", from, to));
    return meta;
  }
}

function likeKnown({ names, before, rest, meta }: Known, buffer: Buffer, from: number, to: number) {
  const like: { -readonly [Name in keyof EndMeta]: EndMeta[Name] } = { ...meta };
  let at = from;
  for (let index = 0; index < names.length; index++) {
    const name = names[index]!;
    if (!isAt(buffer, at, before[index]!)) return undefined;
    at += before[index]!.byteLength;
    const end = numberEnd(buffer, at);
    const number = READ[name](buffer, at, end);
    if (number === undefined) return undefined;
    like[name] = number;
    at = end;
  }
  return at + rest.byteLength === to && isAt(buffer, at, rest) ? like : undefined;
}

function isAt(buffer: Buffer, at: number, bytes: Buffer): boolean {
  for (let byte = 0; byte < bytes.byteLength; byte++) if (buffer[at + byte] !== bytes[byte]) return false;
  return true;
}

/** @returns undefined if the frame has a member of such a name elsewhere too, or may have, or spells a number in another way. */
function knownOf(meta: EndMeta, text: string): Known | undefined {
  if (text.includes("\\")) return undefined;
  const names = (Object.keys(meta) as (keyof EndMeta)[]).filter((name): name is Varying => Object.hasOwn(READ, name));
  const before: Buffer[] = [];
  let at = 0;
  for (const name of names) {
    const label = `"${name}":`;
    const start = text.indexOf(label);
    if (start < at || text.lastIndexOf(label) !== start) return undefined;
    const number = String(meta[name]);
    if (!text.startsWith(number, start + label.length)) return undefined;
    before.push(Buffer.from(text.slice(at, start + label.length)));
    at = start + label.length + number.length;
  }
  return { names, before, rest: Buffer.from(text.slice(at)), meta };
}
