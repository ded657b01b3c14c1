import * as fs from "node:fs";
import { join } from "node:path";
import { encodeFrame, FRAME_HEAD_BYTES, frameBytes, frameKind, isIntact, NO_ID } from "../../spool/codec.ts";
import { FRAME, type FrameKind, type Position } from "../../spool/frame.ts";
import type { SpoolReader } from "../../spool/reader.ts";
import type { Assembler } from "./assemble.ts";
import type { Capture, Part } from "./capture.ts";
import type { Exchange } from "./exchange.ts";

const NAME = /^(\d{10,16})\.carry$/;
/** Last frame of a carry file: what has none was not finished, and the spool still holds all that is in it. */
const SEALED = 8 as FrameKind;

/**
 * Files beside the segments that keep the frames of exchanges that outlive them, so that one endless stream does not
 * keep every segment behind it on the disk.
 *
 * A carry file is written whole, forced to the disk, and only then do the positions move on. It holds frames as the
 * segments do, and at its end the place up to which the spool is in it; read again after a crash, frames that are both
 * there and in a segment count once. In a `Capture`, the number of a carry file stands negated.
 */
export class CarryFiles {
  readonly #directory: string;
  readonly #open = new Map<number, number>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** As the reader's own, for parts that were carried. */
  readBack(segment: number, offset: number, target: Buffer): number {
    const fd = this.#descriptor(-segment);
    return fd === undefined ? 0 : fs.readSync(fd, target, 0, target.byteLength, offset);
  }

  /**
   * Copies what `exchanges` have in segments into a new file.
   *
   * @param read - everything before this place has been given to the assembler.
   * @param spool - reads parts back, wherever they are.
   */
  write(exchanges: readonly Exchange[], run: string, read: Position, spool: Pick<SpoolReader, "readBack">): void {
    const number = Math.max(Date.now(), (this.list().at(-1) ?? 0) + 1);
    const path = this.#path(number);
    const fd = fs.openSync(path, "wx", 0o600);
    let offset = 0;
    const put = (kind: FrameKind, id: string, payload: Uint8Array) => {
      const frame = encodeFrame(kind, id, payload);
      for (let at = 0; at < frame.byteLength; ) at += fs.writeSync(fd, frame, at, frame.byteLength - at, offset + at);
      offset += frame.byteLength;
      return offset - payload.byteLength;
    };
    const moved: (() => void)[] = [];
    try {
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
      put(SEALED, NO_ID, json(read));
      fs.fdatasyncSync(fd);
    } catch (error) {
      fs.rmSync(path, { force: true });
      throw error;
    } finally {
      fs.closeSync(fd);
    }
    for (const move of moved) move();
    for (const exchange of exchanges) {
      exchange.needs = read;
      exchange.carry = number;
    }
  }

  /** Gives the assembler what finished files hold; unfinished ones are deleted. */
  load(assembler: Assembler): void {
    for (const number of this.list()) {
      const fd = this.#descriptor(number)!;
      const read = sealOf(fd);
      if (read === undefined) this.#delete(number);
      else for (const { frame, offset } of framesOf(fd)) assembler.carried(frame, number, offset, read);
    }
  }

  /** Deletes the files of which nothing is in flight any more. */
  deleteUnused(inFlight: Iterable<Exchange>): void {
    const numbers = this.list();
    if (numbers.length === 0) return;
    const used = new Set<number>();
    for (const { carry } of inFlight) used.add(carry);
    for (const number of numbers) if (!used.has(number)) this.#delete(number);
  }

  /** Numbers of the files that there are, lowest first. */
  list(): number[] {
    const names = fs.existsSync(this.#directory) ? fs.readdirSync(this.#directory) : [];
    const numbers = names.map((name) => Number(NAME.exec(name)?.[1] ?? Number.NaN));
    return numbers.filter((number) => !Number.isNaN(number)).sort((a, b) => a - b);
  }

  close(): void {
    for (const fd of this.#open.values()) fs.closeSync(fd);
    this.#open.clear();
  }

  #delete(number: number): void {
    const fd = this.#open.get(number);
    if (fd !== undefined) fs.closeSync(fd);
    this.#open.delete(number);
    fs.rmSync(this.#path(number), { force: true });
  }

  #path(number: number): string {
    return join(this.#directory, `${String(number).padStart(13, "0")}.carry`);
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
    [FRAME.message, exchange.messages],
    ...(exchange.provider === undefined
      ? []
      : ([
          [FRAME.providerRequestChunk, exchange.provider.request],
          [FRAME.providerResponseChunk, exchange.provider.response],
        ] as const)),
  ];
}

/** Every part is copied, those that were carried before too: the file of before can go. */
function copyParts(capture: Capture, copy: (part: Part) => Part): Part[] {
  return [...capture.parts()].map(copy);
}

/** The place that the last frame names, where the file is whole. */
function sealOf(fd: number): Position | undefined {
  for (const { frame } of framesOf(fd)) {
    if (frameKind(frame, 0) === SEALED) return JSON.parse(frame.toString("utf8", FRAME_HEAD_BYTES)) as Position;
  }
  return undefined;
}

/** The whole frames of a file, one in memory at a time. */
function* framesOf(fd: number): Generator<{ frame: Buffer; offset: number }> {
  const head = Buffer.alloc(4);
  for (let offset = 0; fs.readSync(fd, head, 0, 4, offset) === 4; ) {
    const length = frameBytes(head, 0, 4);
    if (length < FRAME_HEAD_BYTES) return;
    const frame = Buffer.allocUnsafe(length);
    if (fs.readSync(fd, frame, 0, length, offset) < length || !isIntact(frame, 0, length)) return;
    yield { frame, offset };
    offset += length;
  }
}

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}
