import * as fs from "node:fs";
import { createTarDecoder, createTarPacker } from "modern-tar";
import { type ByteSink, type Copied, copyStream, PIECE_BYTES, readPieces, writeTo } from "./file-copy.ts";

/** A tar file that is being written. The packer holds at most 8 MB in memory. */
export class TarWriter {
  readonly #packer = createTarPacker();
  readonly #fd: number;
  readonly #written: Promise<void>;

  constructor(path: string) {
    this.#fd = fs.openSync(path, "wx", 0o600);
    const sink = writeTo(this.#fd);
    const disk = new WritableStream<Uint8Array>({ write: (piece) => sink(piece) });
    // A full disk, for example, fails the writers below with the disk's own error.
    this.#written = this.#packer.readable.pipeTo(disk);
    this.#written.catch(() => {});
  }

  /** Adds the first `bytes` of an open file. */
  async add(name: string, fd: number, bytes: number): Promise<Copied> {
    return this.#put(name, bytes, (sink) => readPieces(fd, bytes, sink));
  }

  async addBytes(name: string, content: Uint8Array): Promise<void> {
    await this.#put(name, content.byteLength, (sink) => Promise.resolve(sink(content)));
  }

  /** Writes pending data, syncs the file and closes it. */
  async finish(): Promise<void> {
    this.#packer.controller.finalize();
    await this.#written;
    fs.fdatasyncSync(this.#fd);
    fs.closeSync(this.#fd);
  }

  async abort(): Promise<void> {
    this.#packer.controller.error(new Error("the backup was given up"));
    await this.#written.catch(() => {});
    fs.closeSync(this.#fd);
  }

  async #put<T>(name: string, size: number, write: (sink: ByteSink) => Promise<T>): Promise<T> {
    const body = this.#packer.controller.add({ name, size, type: "file", mode: 0o600, mtime: new Date() }).getWriter();
    // The packer keeps a piece until it is on disk, and the reader reuses the same memory.
    const result = await write((piece) => body.write(new Uint8Array(piece)));
    await body.close();
    return result;
  }
}

/** A file of a tar archive. It must be read before the next one. */
interface TarFile {
  readonly name: string;
  readonly bytes: number;
  readonly copy: (sink: ByteSink) => Promise<Copied>;
}

/**
 * The files of an archive, in order.
 *
 * @param onOther - called for an entry that is neither a file nor a directory, with its kind, such as `symlink`.
 * @throws if it is not a tar archive, or is damaged or incomplete.
 */
export async function* readTar(path: string, onOther: (name: string, kind: string) => never): AsyncGenerator<TarFile> {
  const entries = streamOf(path).pipeThrough(createTarDecoder({ strict: true }));
  for await (const { header, body } of entries) {
    const { name, size, type = "file" } = header;
    if (type === "file") yield { name, bytes: size, copy: (sink) => copyStream(body, sink) };
    else if (type !== "directory") onOther(name, type);
  }
}

function streamOf(path: string): ReadableStream<Uint8Array> {
  const fd = fs.openSync(path, "r");
  return new ReadableStream({
    pull(controller) {
      const piece = Buffer.allocUnsafe(PIECE_BYTES);
      const count = fs.readSync(fd, piece);
      if (count > 0) return controller.enqueue(piece.subarray(0, count));
      fs.closeSync(fd);
      controller.close();
    },
    cancel: () => fs.closeSync(fd),
  });
}
