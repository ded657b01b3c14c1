import { basename } from "node:path";
import { type Log, messageOf } from "../log.ts";
import { FRAME_HEAD_BYTES, frameId, frameKind } from "../spool/codec.ts";
import { Continuity } from "../spool/continuity.ts";
import { FRAME, type Position } from "../spool/frame.ts";
import { quarantine } from "../spool/quarantine.ts";
import { readStart } from "../spool/read-meta.ts";
import type { Damage } from "../spool/reader.ts";
import { segmentPath } from "../spool/segments.ts";
import type { Assembler } from "./exchanges/assemble.ts";
import type { CarryDamage } from "./exchanges/carry.ts";
import type { RecorderLosses } from "./losses.ts";
import type { RecorderMetrics } from "./metrics.ts";

interface SpoolWatchOptions {
  readonly directory: string;
  /** Where reading starts. */
  readonly from: Position;
  readonly assembler: Assembler;
  readonly losses: RecorderLosses;
  readonly metrics: RecorderMetrics;
  readonly log: Log;
}

/**
 * Sits between the spool's reader and the assembler: reading continues whatever the spool holds, and each unreadable part is
 * counted, logged and reported once.
 */
export class SpoolWatch {
  readonly #options: SpoolWatchOptions;
  readonly #continuity: Continuity;

  constructor(options: SpoolWatchOptions) {
    this.#options = options;
    this.#continuity = new Continuity(options.from);
  }

  /** A FrameSink: a frame that the assembler cannot read is saved beside the spool. */
  // biome-ignore lint/complexity/useMaxParams: called for every frame; an object for its place would be garbage of the hot path
  frame(buffer: Buffer, at: number, end: number, segment: number, offset: number): void {
    try {
      if (frameKind(buffer, at) === FRAME.start) this.#follow(buffer, at, end, { segment, offset });
      this.#options.assembler.frame(buffer, at, end, segment, offset);
    } catch (error) {
      this.#setAside(buffer.subarray(at, end), { segment, offset }, error);
    }
  }

  /** The reader's `onDamage`. */
  damage(damage: Damage): void {
    const { assembler, losses, metrics, log } = this.#options;
    const { segment, offset, bytes, kind, id } = damage;
    assembler.lost(kind, id, damage);
    if (!losses.isNew(damage)) return;
    metrics.tornBytes.add(bytes);
    losses.note("damaged", this.#nameOf(segment), bytes);
    log.error("bytes of a spool segment are damaged; reading resumes after them", { segment, offset, bytes });
  }

  /** The reader's `onLeft`. */
  left(segment: number, end: number, size: number): void {
    const { losses, metrics, log } = this.#options;
    this.#continuity.left(segment, end, size);
    const bytes = size - end;
    if (bytes <= 0 || !losses.isNew({ segment, offset: end })) return;
    metrics.tornBytes.add(bytes);
    log.warn("the end of a spool segment was no whole frame and is passed over", { segment, bytes });
  }

  /** The carry files' `onDamage`. */
  carried({ file, bytes, isLost }: CarryDamage): void {
    const { losses, metrics, log } = this.#options;
    if (!losses.isNewFile(file)) return;
    metrics.tornBytes.add(bytes);
    losses.note("carried", file, bytes);
    const what = isLost ? "cannot be read" : "is damaged and was read as far as it could be";
    log.error(`a carry file ${what}; it is set aside once nothing needs it`, { file, bytes });
  }

  #follow(buffer: Buffer, at: number, end: number, place: Position): void {
    const { losses, metrics, log } = this.#options;
    const { previous } = readStart(buffer, at + FRAME_HEAD_BYTES, end);
    const missing = this.#continuity.follows(previous);
    if (missing === undefined || !losses.isNew(place)) return;
    const { segment, state, bytes } = missing;
    metrics.missingBytes.add(bytes);
    losses.note("missing", this.#nameOf(segment), bytes);
    log.error("a spool segment was longer than what could be read", { segment, state, bytes });
  }

  #setAside(frame: Buffer, place: Position, error: unknown): void {
    const { assembler, directory, losses, metrics, log } = this.#options;
    const [kind, id] = [frameKind(frame, 0), frameId(frame, 0)];
    assembler.lost(kind, id, place);
    if (!losses.isNew(place)) return;
    metrics.dropped.add(1, { reason: "unreadable" });
    losses.note("unreadable", this.#nameOf(place.segment));
    const kept = quarantine(directory, frame);
    const what = { reason: "unreadable", request_id: id, kind, ...place, kept, error: messageOf(error) };
    log.error("a frame of the spool cannot be read and is set aside", what);
  }

  #nameOf(segment: number): string {
    return basename(segmentPath("", segment));
  }
}
