import type { Position } from "../spool/frame.ts";
import { isBefore } from "../spool/position.ts";

/** How long a loss is reported after the last one of its kind; the metrics keep it longer. */
const REPORTED_MS = 60 * 60_000;

/** Kinds of loss between the spool and the database, with the sentence that reports each. */
const SAYS = {
  damaged: (count: number, bytes: number, last: string) =>
    `spool: ${bytes} bytes in ${count} places were damaged and could not be read, the last in ${last}`,
  missing: (count: number, bytes: number, last: string) =>
    `spool: ${count} segments were gone or shorter than they were written, ${bytes} bytes are missing, the last is ${last}`,
  unreadable: (count: number, _bytes: number, last: string) =>
    `spool: ${count} frames could not be read and are set aside, the last in ${last}`,
  carried: (count: number, bytes: number, last: string) =>
    `spool: ${count} carry files were damaged, ${bytes} bytes of them could not be read, the last is ${last}`,
  beheaded: (count: number) =>
    `recorder: ${count} requests in flight lost their first frame and are recorded as cut off`,
  bodies: () =>
    "database: bodies.db is older than weir.db beside it and lacks bodies of records: restore both from one backup",
  unrecorded: (count: number, _bytes: number, last: string) =>
    `recorder: ${count} exchanges have no record, the last for the reason ${last}`,
} as const;

type LossKind = keyof typeof SAYS;

/** What the recorder could not record, for `/readyz`. Outlives the input, which is reopened after failures. */
export class RecorderLosses {
  readonly #of = new Map<LossKind, { count: number; bytes: number; last: string; atMs: number }>();
  /** Damaged carry files already noted: they are read again after a failure. */
  readonly #files = new Set<string>();
  /** The spool before this position was read before. */
  #readUpTo: Position = { segment: 0, offset: 0 };

  /** An earlier run noted the losses before `read`. */
  knownUpTo(read: Position): void {
    if (isBefore(this.#readUpTo, read)) this.#readUpTo = read;
  }

  /** Whether the spool is read at `place` for the first time: after a failure it is read again, and a loss counts once. */
  isNew(place: Position): boolean {
    if (isBefore(place, this.#readUpTo)) return false;
    this.#readUpTo = { segment: place.segment, offset: place.offset + 1 };
    return true;
  }

  /** Whether this carry file was not yet known to be damaged. */
  isNewFile(name: string): boolean {
    const isNew = !this.#files.has(name);
    this.#files.add(name);
    return isNew;
  }

  /** @param last - where or why, without any content of the exchange. */
  note(kind: LossKind, last: string, bytes = 0): void {
    const before = this.#of.get(kind) ?? { count: 0, bytes: 0 };
    this.#of.set(kind, { count: before.count + 1, bytes: before.bytes + bytes, last, atMs: performance.now() });
  }

  /** One sentence for each kind of loss of the last hour. */
  recent(): string[] {
    const nowMs = performance.now();
    const recent = [...this.#of].filter(([, { atMs }]) => nowMs - atMs < REPORTED_MS);
    return recent.map(([kind, { count, bytes, last }]) => SAYS[kind](count, bytes, last));
  }
}
