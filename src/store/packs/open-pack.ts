import { compressZstd } from "../../runtime/zstd.ts";

/** From this length on, the end of an open pack becomes a frame that is not compressed again before the pack is closed. */
const FRAME_BYTES = 16_384;

/**
 * A pack that is being filled. Each commit writes all of it, so until it is full it is compressed in several zstd frames, and
 * a commit compresses only the end of it.
 */
export class OpenPack {
  readonly id: number;
  length = 0;
  shared = false;
  /** Bytes of it that are in the database. */
  written = 0;
  /** Whether it must be written. */
  changed = false;
  readonly buffer: Buffer;
  readonly #frames: Uint8Array[] = [];
  /** Bytes in `#frames` before compression. */
  #framed = 0;

  constructor(id: number, buffer: Buffer) {
    this.id = id;
    this.buffer = buffer;
  }

  hasRoomFor(bytes: number): boolean {
    return this.length + bytes <= this.buffer.length;
  }

  /** @returns the offset of the bytes. */
  append(bytes: Uint8Array): number {
    const offset = this.length;
    this.buffer.set(bytes, offset);
    this.length += bytes.length;
    this.changed = true;
    return offset;
  }

  /** Its compressed content for now. */
  grown(): Uint8Array {
    const rest = this.buffer.subarray(this.#framed, this.length);
    if (rest.length === 0) return Buffer.concat(this.#frames);
    const frame = compressZstd(rest);
    const all = Buffer.concat([...this.#frames, frame]);
    if (rest.length >= FRAME_BYTES) {
      this.#frames.push(frame);
      this.#framed = this.length;
    }
    return all;
  }

  /** Its compressed content once it is full: one frame takes less space than several. */
  full(): Uint8Array {
    return compressZstd(this.buffer.subarray(0, this.length));
  }
}
