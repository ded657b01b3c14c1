import type { Position } from "./frame.ts";
import { isBefore } from "./position.ts";

/** A segment of which less was read than was written. */
export interface Shortfall {
  readonly segment: number;
  /** What is missing: the file, its end, or the readability of its last bytes. */
  readonly state: "gone" | "short" | "damaged";
  readonly bytes: number;
}

/**
 * Compares what was read of each segment with how far it was written, according to the next segment's first frame.
 *
 * @param from - where reading began: earlier segments may be missing.
 */
export class Continuity {
  readonly #from: Position;
  /** For finished segments, where the last good frame ended and the file size. */
  readonly #left = new Map<number, { readonly end: number; readonly size: number }>();
  /** The segment in which reading was to begin is missing. */
  #lacksFirst = false;

  constructor(from: Position) {
    this.#from = from;
  }

  /** The reader's `onLeft`. */
  left(segment: number, end: number, size: number): void {
    if (size >= 0) this.#left.set(segment, { end, size });
    else this.#lacksFirst = true;
  }

  /**
   * The missing part of the segment before one that begins with this `previous`; undefined if nothing is missing.
   *
   * @param previous - undefined if the writer did not know: then only a missing first segment is noticed.
   */
  follows(previous: Position | undefined): Shortfall | undefined {
    const lacksFirst = this.#lacksFirst;
    this.#lacksFirst = false;
    if (previous === undefined) {
      return lacksFirst ? { segment: this.#from.segment, state: "gone", bytes: 0 } : undefined;
    }
    const { segment, offset } = previous;
    const seen = this.#left.get(segment);
    this.#left.clear();
    if (!isBefore(this.#from, previous)) return undefined;
    const from = segment === this.#from.segment ? this.#from.offset : 0;
    if (seen === undefined) return { segment, state: "gone", bytes: offset - from };
    const end = Math.max(from, seen.end);
    if (end >= offset) return undefined;
    return { segment, state: seen.size < offset ? "short" : "damaged", bytes: offset - end };
  }
}
