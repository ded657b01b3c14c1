import { decompressZstd } from "../../runtime/zstd.ts";
import type { Database } from "../database/database.ts";
import { packBytes } from "./pack-bytes.ts";
import type { Range } from "./placed.ts";

/** Packs in memory at the same time: 8 MB. */
const PACKS = 64;

interface Copy {
  readonly target: Buffer;
  readonly at: number;
  readonly offset: number;
  readonly length: number;
}

/** Collects bytes from packs; each pack is read and decompressed once, however many bodies have parts in it. */
export class Gathering {
  readonly #copies = new Map<number, Copy[]>();
  /** Targets that lack some of their bytes. */
  readonly lost = new Set<Buffer>();

  /** The bytes of these ranges; filled once `run` has resolved. */
  add(ranges: readonly Range[]): Buffer {
    const target = Buffer.alloc(ranges.reduce((sum, { length }) => sum + length, 0));
    this.addTo(target, 0, ranges);
    return target;
  }

  /** @returns the offset in the target for the next bytes. */
  addTo(target: Buffer, start: number, ranges: readonly Range[]): number {
    let at = start;
    for (const { pack, offset, length } of ranges) {
      const copy = { target, at, offset, length };
      const copies = this.#copies.get(pack);
      if (copies === undefined) this.#copies.set(pack, [copy]);
      else copies.push(copy);
      at += length;
    }
    return at;
  }

  async run(database: Database): Promise<void> {
    const ids = [...this.#copies.keys()].sort((a, b) => a - b);
    for (let at = 0; at < ids.length; at += PACKS) {
      const part = ids.slice(at, at + PACKS);
      const found = await packBytes(database, part);
      for (const id of part) this.#copy(id, found.get(id));
    }
  }

  /** A damaged or missing pack loses only the bodies that are in it. */
  #copy(id: number, data: Uint8Array | undefined): void {
    const content = data && decompressed(data);
    for (const { target, at, offset, length } of this.#copies.get(id)!) {
      if (content === undefined || offset + length > content.length) this.lost.add(target);
      else target.set(content.subarray(offset, offset + length), at);
    }
  }
}

/** Undefined when the bytes are damaged. */
export function decompressed(data: Uint8Array): Uint8Array | undefined {
  try {
    return decompressZstd(data);
  } catch {
    return undefined;
  }
}

/** The part of some ranges between two offsets of their concatenated bytes. */
export function sliced(ranges: readonly Range[], from: number, to: number): Range[] {
  const found: Range[] = [];
  let start = 0;
  for (const { pack, offset, length } of ranges) {
    const first = Math.max(from, start);
    const last = Math.min(to, start + length);
    if (first < last) found.push({ pack, offset: offset + first - start, length: last - first });
    start += length;
  }
  return found;
}
