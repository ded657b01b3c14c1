import type { SpoolReader } from "../../spool/reader.ts";

/** Maximum bytes in memory for all bodies in flight together. */
const INLINE_BYTES_MAX = 64 * 1024 * 1024;
/** Longer bodies stay in the spool until their exchange ends. */
const INLINE_BODY_BYTES_MAX = 64 * 1024;
/** Last bytes that are kept of a body over the limit: a stream's usage is at its end. */
const TAIL_BYTES_MAX = 256 * 1024;
/** Memory of a kept chunk besides its bytes. */
const CHUNK_COST_BYTES = 128;

/** The memory budget that all captures of one recorder share. */
export class InlineBudget {
  used = 0;
}

/** The position of a part of a body in the spool. */
export interface SpoolRange {
  readonly segment: number;
  readonly offset: number;
  readonly length: number;
}

/**
 * One body in flight: the positions of its parts in the spool, and the bytes themselves while they are few.
 *
 * A long stream costs three numbers per chunk, and nothing beyond `bytesMax`, so thousands of them fit in memory.
 */
export class Capture {
  /** All bytes of it in the spool, including those that are not kept. */
  bytes = 0;
  readonly #budget: InlineBudget;
  readonly #bytesMax: number;
  #kept = 0;
  /** Segment, offset and length of each part, one after the other. */
  #parts: number[] = [];
  /** Segment, offset and length of the last parts of the bytes that are not kept. */
  #tail: number[] | undefined;
  #tailBytes = 0;
  #inline: Buffer[] | undefined = [];
  #charged = 0;
  /** The spool no longer had all of it when it was read. */
  #isShort = false;

  constructor(budget: InlineBudget, bytesMax: number) {
    this.#budget = budget;
    this.#bytesMax = bytesMax;
  }

  /** Bytes are missing because there are more than `bytesMax`, or because the spool no longer had them. */
  get truncated(): boolean {
    return this.bytes > this.#kept || this.#isShort;
  }

  /** Adds the bytes `[at, end)` of `buffer`, which are at `offset` in `segment`. */
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

  /** The kept bytes; parts that the spool no longer has are omitted. */
  read(spool: Pick<SpoolReader, "readBack">): Buffer {
    if (this.#inline !== undefined) return this.#inline.length === 1 ? this.#inline[0]! : Buffer.concat(this.#inline);
    const all = readParts(this.#parts, this.#kept, spool);
    this.#isShort ||= all.byteLength < this.#kept;
    return all;
  }

  /** The last bytes of a body that is not kept in full, and their position: there may be a gap before them. */
  readTail(spool: Pick<SpoolReader, "readBack">): { readonly bytes: Buffer; readonly at: number } {
    return { bytes: readParts(this.#tail ?? [], this.#tailBytes, spool), at: this.bytes - this.#tailBytes };
  }

  /** The kept bytes, split as they arrived; the last part may be truncated. */
  readParts(spool: Pick<SpoolReader, "readBack">): Buffer[] {
    if (this.#inline !== undefined) return this.#inline;
    return [...this.parts()].map(({ segment, offset, length }) => {
      const part = Buffer.allocUnsafe(length);
      const filled = spool.readBack(segment, offset, part);
      this.#isShort ||= filled < length;
      return part.subarray(0, filled);
    });
  }

  *parts(): Generator<SpoolRange> {
    yield* partsOf(this.#parts);
  }

  /** Sets the parts' positions after they were moved, in their order. A tail is not moved: later parts replace it. */
  relocate(parts: readonly SpoolRange[]): void {
    this.#tail = undefined;
    this.#tailBytes = 0;
    this.#parts = parts.flatMap(({ segment, offset, length }) => [segment, offset, length]);
  }

  /** Frees the memory; the positions of the parts stay known. */
  release(): void {
    this.#letGo();
  }

  #addToTail(segment: number, offset: number, length: number): void {
    this.#tail ??= [];
    const tail = this.#tail;
    tail.push(segment, offset, length);
    this.#tailBytes += length;
    while (this.#tailBytes - tail[2]! >= TAIL_BYTES_MAX) this.#tailBytes -= tail.splice(0, 3)[2]!;
  }

  #letGo(): void {
    this.#inline = undefined;
    this.#budget.used -= this.#charged;
    this.#charged = 0;
  }
}

function* partsOf(parts: readonly number[]): Generator<SpoolRange> {
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
