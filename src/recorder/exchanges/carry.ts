import * as fs from "node:fs";
import { basename, join } from "node:path";
import { FOOTER, framesOf, namesIn, readPayload, readUpTo, SET_ASIDE } from "../../spool/carry-frames.ts";
import { encodeFrame, frameId, frameKind, NO_ID } from "../../spool/codec.ts";
import { FRAME, type FrameKind, type Position } from "../../spool/frame.ts";
import type { SpoolReader } from "../../spool/reader.ts";
import type { Assembler } from "./assemble.ts";
import type { Capture, SpoolRange } from "./capture.ts";
import type { Exchange } from "./exchange.ts";

const NAME = /^(\d{10,16})\.carry$/;
/** Suffix of an unfinished file: the spool still holds everything that is in it. */
const UNFINISHED = ".carry.new";
/** The damage of a carry file. */
export interface CarryDamage {
  readonly file: string;
  /** Bytes that are not valid frames. */
  readonly bytes: number;
  /** The complete file is unusable, because it does not say up to which position it holds the spool's frames. */
  readonly isLost: boolean;
}

/**
 * Files, beside the segments, with the frames of exchanges that outlive their segments. Without them one endless stream
 * would keep every later segment on the disk.
 *
 * A carry file is written completely, synced to disk and renamed; only then does the read position advance. It holds frames
 * in the segments' format, and the position up to which it covers the spool. When it is read after a crash, frames that are
 * both in it and in a segment count once. In a `Capture`, the number of a carry file is negative.
 *
 * A damaged file is read as far as possible, and renamed once nothing needs it.
 */
export class CarryFiles {
  readonly #directory: string;
  readonly #onDamage: (damage: CarryDamage) => void;
  readonly #open = new Map<number, number>();
  readonly #damaged = new Set<number>();

  constructor(directory: string, onDamage: (damage: CarryDamage) => void = () => {}) {
    this.#directory = directory;
    this.#onDamage = onDamage;
  }

  /** Like the reader's `readBack`, for carried parts. Parts that were damaged or deleted since are reported and omitted. */
  readBack(segment: number, offset: number, target: Buffer): number {
    const number = -segment;
    const fd = this.#descriptor(number);
    const filled = fd === undefined ? 0 : readPayload(fd, offset, target);
    if (filled < target.byteLength) this.#reportDamage(number, { bytes: target.byteLength, isLost: fd === undefined });
    return filled;
  }

  /**
   * Copies the frames that `exchanges` have in segments into a new file.
   *
   * @param read - everything before this position has been given to the assembler.
   * @param spool - reads parts back, from segments and carry files.
   */
  write(exchanges: readonly Exchange[], run: string, read: Position, spool: Pick<SpoolReader, "readBack">): void {
    const number = Math.max(Date.now(), (this.list().at(-1) ?? 0) + 1);
    const path = this.#path(number, UNFINISHED);
    const fd = fs.openSync(path, "w", 0o600);
    let offset = 0;
    const put = (kind: FrameKind, id: string, payload: Uint8Array) => {
      const frame = encodeFrame(kind, id, payload);
      for (let at = 0; at < frame.byteLength; ) at += fs.writeSync(fd, frame, at, frame.byteLength - at, offset + at);
      offset += frame.byteLength;
      return offset - payload.byteLength;
    };
    const moved: (() => void)[] = [];
    try {
      put(FOOTER, NO_ID, json(read));
      put(FRAME.start, NO_ID, json({ run, time: Date.now() }));
      for (const exchange of exchanges) {
        put(FRAME.begin, exchange.id, json(exchange.begin));
        const { requestHead, responseHead } = exchange.provider ?? {};
        if (requestHead !== undefined) put(FRAME.providerRequest, exchange.id, json(requestHead));
        if (responseHead !== undefined) put(FRAME.providerResponse, exchange.id, json(responseHead));
        for (const [kind, capture] of capturesOf(exchange)) {
          const parts = copyParts(capture, (part) => {
            const bytes = Buffer.allocUnsafe(part.length);
            const filled = spool.readBack(part.segment, part.offset, bytes);
            return { segment: -number, offset: put(kind, exchange.id, bytes.subarray(0, filled)), length: filled };
          });
          moved.push(() => capture.relocate(parts));
        }
        if (exchange.head !== undefined) put(FRAME.head, exchange.id, json(exchange.head));
      }
      put(FOOTER, NO_ID, json(read));
      fs.fdatasyncSync(fd);
    } catch (error) {
      fs.rmSync(path, { force: true });
      throw error;
    } finally {
      fs.closeSync(fd);
    }
    fs.renameSync(path, this.#path(number));
    for (const move of moved) move();
    for (const exchange of exchanges) {
      exchange.needs = read;
      exchange.carry = number;
    }
  }

  /** Gives the frames of finished files to the assembler; unfinished files are deleted. */
  load(assembler: Assembler): void {
    for (const name of namesIn(this.#directory)) {
      if (name.endsWith(UNFINISHED)) fs.rmSync(join(this.#directory, name), { force: true });
    }
    for (const number of this.list()) this.#load(number, assembler);
  }

  #load(number: number, assembler: Assembler): void {
    const fd = this.#descriptor(number)!;
    const read = readUpTo(fd);
    let bytes = 0;
    let frames = 0;
    /** The last valid frame. */
    let last: { readonly kind: FrameKind; readonly id: string } | undefined;
    const lost = () => last !== undefined && read !== undefined && assembler.lost(last.kind, last.id, read);
    for (const { frame, offset, damaged } of framesOf(fd)) {
      // The exchange before the damage may lack its last parts, the one after it its first parts.
      if (damaged > 0) lost();
      bytes += damaged;
      if (frame === undefined) break;
      frames++;
      last = { kind: frameKind(frame, 0), id: frameId(frame, 0) };
      if (damaged > 0) lost();
      if (read === undefined || last.kind === FOOTER) continue;
      try {
        assembler.carried(frame, number, offset, read);
      } catch {
        bytes += frame.byteLength;
        lost();
      }
    }
    // A lone first frame looks like the footer.
    if (bytes === 0 && frames > 1 && last?.kind === FOOTER) return;
    lost();
    this.#reportDamage(number, { bytes, isLost: read === undefined });
  }

  /** Deletes the files that no exchange in flight needs any more. */
  deleteUnused(inFlight: Iterable<Exchange>): void {
    const numbers = this.list();
    if (numbers.length === 0) return;
    const used = new Set<number>();
    for (const { carry } of inFlight) used.add(carry);
    for (const number of numbers) if (!used.has(number)) this.#letGo(number);
  }

  /** Numbers of the existing files, lowest first. */
  list(): number[] {
    const numbers = namesIn(this.#directory).map((name) => Number(NAME.exec(name)?.[1] ?? Number.NaN));
    return numbers.filter((number) => !Number.isNaN(number)).sort((a, b) => a - b);
  }

  close(): void {
    for (const fd of this.#open.values()) fs.closeSync(fd);
    this.#open.clear();
  }

  #letGo(number: number): void {
    const fd = this.#open.get(number);
    if (fd !== undefined) fs.closeSync(fd);
    this.#open.delete(number);
    const path = this.#path(number);
    if (this.#damaged.delete(number) && fs.existsSync(path)) fs.renameSync(path, this.#path(number, SET_ASIDE));
    else fs.rmSync(path, { force: true });
  }

  #reportDamage(number: number, what: Omit<CarryDamage, "file">): void {
    this.#damaged.add(number);
    this.#onDamage({ file: basename(this.#path(number)), ...what });
  }

  #path(number: number, ending = ".carry"): string {
    return join(this.#directory, `${String(number).padStart(13, "0")}${ending}`);
  }

  #descriptor(number: number): number | undefined {
    const open = this.#open.get(number);
    if (open !== undefined) return open;
    if (!fs.existsSync(this.#path(number))) return undefined;
    const fd = fs.openSync(this.#path(number), "r");
    this.#open.set(number, fd);
    return fd;
  }
}

function capturesOf(exchange: Exchange): readonly (readonly [FrameKind, Capture])[] {
  return [
    [FRAME.requestChunk, exchange.request],
    [FRAME.responseChunk, exchange.response],
    ...(exchange.messages === undefined ? [] : ([[FRAME.message, exchange.messages]] as const)),
    ...(exchange.provider === undefined
      ? []
      : ([
          [FRAME.providerRequestChunk, exchange.provider.request],
          [FRAME.providerResponseChunk, exchange.provider.response],
        ] as const)),
  ];
}

/** Copies every part, including parts carried before, so that the previous file can be deleted. */
function copyParts(capture: Capture, copy: (part: SpoolRange) => SpoolRange): SpoolRange[] {
  return [...capture.parts()].map(copy);
}

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}
