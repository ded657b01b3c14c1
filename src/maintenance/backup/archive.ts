import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { type Copied, readPieces, writeFile } from "./file-copy.ts";
import { MANIFEST, type Manifest } from "./manifest.ts";
import { TarWriter } from "./tar-archive.ts";

/** A backup in progress. It appears at its place only after `finish`. */
export interface Archive {
  /** A path for a file with this name, for `keep`. */
  scratch(name: string): string;
  /** Adds the file at `scratch(name)`. */
  keep(name: string): Promise<void>;
  /** Adds the first `bytes` of an open file. */
  add(name: string, fd: number, bytes: number): Promise<void>;
  readonly files: Readonly<Record<string, Copied>>;
  /** Writes the manifest and puts the backup in its place. */
  finish(manifest: Manifest): Promise<void>;
  /** Removes the partial backup. */
  abort(): void | Promise<void>;
}

/** A name that ends in `.tar` is one file, any other a directory. An existing one is removed only when the new one is complete. */
export function openArchive(target: string): Archive {
  fs.mkdirSync(dirname(target), { recursive: true });
  return target.endsWith(".tar") ? new TarArchive(target) : new DirectoryArchive(target);
}

/** Whether a backup may replace `target`: a typing error must not destroy another folder or a device. */
export function mayBeReplaced(target: string): boolean {
  if (target.endsWith(".tar")) return fs.statSync(target).isFile();
  if (!fs.statSync(target).isDirectory()) return false;
  const names = fs.readdirSync(target);
  return names.length === 0 || names.includes(MANIFEST);
}

class DirectoryArchive implements Archive {
  readonly files: Record<string, Copied> = {};
  readonly #target: string;
  readonly #partial: string;

  constructor(target: string) {
    this.#target = target;
    this.#partial = `${target}.partial`;
    fs.rmSync(this.#partial, { recursive: true, force: true });
    fs.mkdirSync(this.#partial, { mode: 0o700 });
  }

  scratch(name: string): string {
    const path = join(this.#partial, name);
    fs.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return path;
  }

  async keep(name: string): Promise<void> {
    const path = this.scratch(name);
    fs.chmodSync(path, 0o600);
    const fd = fs.openSync(path, "r+");
    try {
      this.files[name] = await readPieces(fd, fs.fstatSync(fd).size, () => {});
      fs.fdatasyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
  }

  async add(name: string, fd: number, bytes: number): Promise<void> {
    this.files[name] = await writeFile(this.scratch(name), (sink) => readPieces(fd, bytes, sink));
  }

  async finish(manifest: Manifest): Promise<void> {
    await writeFile(this.scratch(MANIFEST), async (sink) => sink(manifestBytes(manifest)));
    fs.rmSync(this.#target, { recursive: true, force: true });
    fs.renameSync(this.#partial, this.#target);
  }

  abort(): void {
    fs.rmSync(this.#partial, { recursive: true, force: true });
  }
}

class TarArchive implements Archive {
  readonly files: Record<string, Copied> = {};
  readonly #target: string;
  readonly #partial: string;
  readonly #tar: TarWriter;

  constructor(target: string) {
    this.#target = target;
    this.#partial = `${target}.partial`;
    fs.rmSync(this.#partial, { recursive: true, force: true });
    fs.mkdirSync(this.#partial, { mode: 0o700 });
    this.#tar = new TarWriter(join(this.#partial, "archive"));
  }

  scratch(name: string): string {
    return join(this.#partial, name.replaceAll("/", "-"));
  }

  async keep(name: string): Promise<void> {
    const path = this.scratch(name);
    const fd = fs.openSync(path, "r");
    try {
      await this.add(name, fd, fs.fstatSync(fd).size);
    } finally {
      fs.closeSync(fd);
    }
    fs.rmSync(path);
  }

  async add(name: string, fd: number, bytes: number): Promise<void> {
    this.files[name] = await this.#tar.add(name, fd, bytes);
  }

  async finish(manifest: Manifest): Promise<void> {
    await this.#tar.addBytes(MANIFEST, manifestBytes(manifest));
    await this.#tar.finish();
    fs.renameSync(join(this.#partial, "archive"), this.#target);
    fs.rmSync(this.#partial, { recursive: true, force: true });
  }

  async abort(): Promise<void> {
    await this.#tar.abort();
    fs.rmSync(this.#partial, { recursive: true, force: true });
  }
}

function manifestBytes(manifest: Manifest): Buffer {
  return Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
}
