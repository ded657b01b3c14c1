import type { SpoolReader } from "../../spool/reader.ts";

/** Bytes that all bodies in flight may hold in memory together. */
const INLINE_BYTES_MAX = 64 * 1024 * 1024;
/** A body longer than this is left in the spool until its exchange ends. */
const INLINE_BODY_BYTES_MAX = 64 * 1024;
/** Of a body over the limit, the last bytes are still looked at: the usage of a stream stands at its end. */
const TAIL_BYTES_MAX = 256 * 1024;
/** What a kept chunk costs beside its bytes. */
const CHUNK_COST_BYTES = 128;

/** The memory that all captures of one recorder share. */
export class InlineBudget {
  used = 0;
}

/** Where a part of a body lies in the spool. */
export interface Part {
  readonly segment: number;
  readonly offset: number;
  readonly length: number;
}

/**
 * One body in flight: where its parts lie in the spool, and the bytes themselves while they are few.
 *
 * Thousands of long streams cost three numbers a chunk, and nothing for what is beyond `bytesMax`.
 */
export class Capture {
  /** All bytes that the spool had of it, also those that are not kept. */
  bytes = 0;
  readonly #budget: InlineBudget;
  readonly #bytesMax: number;
  #kept = 0;
  /** Segment, offset and length of each part, one after the other. */
  #parts: number[] = [];
  /** The same for the last parts of what is not kept. */
  #tail: number[] = [];
  #tailBytes = 0;
  #inline: Buffer[] | undefined = [];
  #charged = 0;
  /** The spool did not have all of it when it was read. */
  #isShort = false;

  constructor(budget: InlineBudget, bytesMax: number) {
    this.#budget = budget;
    this.#bytesMax = bytesMax;
  }

  /** Bytes were left out because there are more than `bytesMax`, or because the spool no longer had them. */
  get truncated(): boolean {
    return this.bytes > this.#kept || this.#isShort;
  }

  /** Notes the bytes `[at, end)` of `buffer`, which stand at `offset` in `segment`. */
  // biome-ignore lint/complexity/useMaxParams: called for every frame; an object for its place would be garbage of the hot path
  add(buffer: Buffer, at: number, end: number, segment: number, offset: number): void {
    const length = Math.min(end - at, this.#bytesMax - this.#kept);
    this.bytes += end - at;
    if (length < end - at) this.#addToTail(segment, offset + Math.max(0, length), end - at - Math.max(0, length));
    if (length <= 0) return;
    this.#kept += length;
    this.#parts.push(segment, offset, length);
    if (this.#inline === undefined) return;
    const cost = length + CHUNK_COST_BYTES;
    if (this.#kept > INLINE_BODY_BYTES_MAX || this.#budget.used + cost > INLINE_BYTES_MAX) {
      this.#letGo();
      return;
    }
    const kept = Buffer.allocUnsafeSlow(length);
    buffer.copy(kept, 0, at, at + length);
    this.#inline.push(kept);
    this.#charged += cost;
    this.#budget.used += cost;
  }

  /** The kept bytes; parts that the spool no longer has are left out. */
  read(spool: Pick<SpoolReader, "readBack">): Buffer {
    if (this.#inline !== undefined) return this.#inline.length === 1 ? this.#inline[0]! : Buffer.concat(this.#inline);
    const all = readParts(this.#parts, this.#kept, spool);
    this.#isShort ||= all.byteLength < this.#kept;
    return all;
  }

  /** The last bytes of a body of which not all is kept; they may follow the kept ones with a gap. */
  readTail(spool: Pick<SpoolReader, "readBack">): Buffer {
    return readParts(this.#tail, this.#tailBytes, spool);
  }

  /** The kept bytes as the parts they came in; the last one may be cut. */
  readParts(spool: Pick<SpoolReader, "readBack">): Buffer[] {
    if (this.#inline !== undefined) return this.#inline;
    return [...this.parts()].map(({ segment, offset, length }) => {
      const part = Buffer.allocUnsafe(length);
      const filled = spool.readBack(segment, offset, part);
      this.#isShort ||= filled < length;
      return part.subarray(0, filled);
    });
  }

  *parts(): Generator<Part> {
    yield* partsOf(this.#parts);
  }

  /** Says where the parts lie after they were moved, in their order. A tail is not moved: it grows a new end. */
  relocate(parts: readonly Part[]): void {
    this.#tail = [];
    this.#tailBytes = 0;
    this.#parts = parts.flatMap(({ segment, offset, length }) => [segment, offset, length]);
  }

  /** Gives the memory back; the parts stay known. */
  release(): void {
    this.#letGo();
  }

  #addToTail(segment: number, offset: number, length: number): void {
    this.#tail.push(segment, offset, length);
    this.#tailBytes += length;
    while (this.#tailBytes - this.#tail[2]! >= TAIL_BYTES_MAX) this.#tailBytes -= this.#tail.splice(0, 3)[2]!;
  }

  #letGo(): void {
    this.#inline = undefined;
    this.#budget.used -= this.#charged;
    this.#charged = 0;
  }
}

function* partsOf(parts: readonly number[]): Generator<Part> {
  for (let at = 0; at < parts.length; at += 3) {
    yield { segment: parts[at]!, offset: parts[at + 1]!, length: parts[at + 2]! };
  }
}

function readParts(parts: readonly number[], bytes: number, spool: Pick<SpoolReader, "readBack">): Buffer {
  const all = Buffer.allocUnsafe(bytes);
  let filled = 0;
  for (const { segment, offset, length } of partsOf(parts)) {
    filled += spool.readBack(segment, offset, all.subarray(filled, filled + length));
  }
  return all.subarray(0, filled);
}
