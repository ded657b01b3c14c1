import type { Position } from "./frame.ts";
import { isBefore } from "./position.ts";

/** A segment that held more than was read of it. */
export interface Shortfall {
  readonly segment: number;
  /** What is missing: the file, its end, or the sense of its last bytes. */
  readonly state: "gone" | "short" | "damaged";
  readonly bytes: number;
}

/**
 * Compares what was read of each segment with how far it was written, which the next segment's first frame says.
 *
 * @param from - where reading began: what stood before needs not be there.
 */
export class Continuity {
  readonly #from: Position;
  /** Of segments that were left behind, where the last good frame ended and how large the file was. */
  readonly #left = new Map<number, { readonly end: number; readonly size: number }>();
  /** The segment that reading was to begin in is not there. */
  #lacksFirst = false;

  constructor(from: Position) {
    this.#from = from;
  }

  /** As the reader's `onLeft`. */
  left(segment: number, end: number, size: number): void {
    if (size >= 0) this.#left.set(segment, { end, size });
    else this.#lacksFirst = true;
  }

  /**
   * What is missing of the segment before one that begins with this `previous`; undefined where nothing is.
   *
   * @param previous - undefined where the writer did not know: then only a missing first segment is noticed.
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
