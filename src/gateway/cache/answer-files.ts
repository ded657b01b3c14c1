import { createHash, randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, readdir, rename, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { AnswerOrigin, StoredAnswer } from "./stored-answer.ts";

/** One stored answer, as far as its file's name tells it. */
export interface EntryName {
  /** The organization's folder. */
  readonly folder: string;
  readonly key: string;
  /** Place in the bucket, from 0. */
  readonly place: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Size of the file. */
  readonly bytes: number;
}

/** What a file says before the body. */
interface EntryHead extends AnswerOrigin {
  readonly status: number;
  readonly reason: string;
  readonly headers: readonly string[];
  /** Bytes of each piece of the body. */
  readonly lengths: readonly number[];
}

/** An organization's folder; its id could hold anything, its hash is a plain name. */
export function folderOf(organizationId: string): string {
  return createHash("sha256").update(organizationId).digest("hex").slice(0, 32);
}

const FOLDER = /^[0-9a-f]{32}$/;
const NAME = /^([0-9a-f]{64})-(\d{1,2})-([0-9a-z]{1,11})-([0-9a-z]{1,11})-([0-9a-z]{1,11})$/;
const UNFINISHED = "unfinished-";

function nameOf({ key, place, createdAt, expiresAt, bytes }: EntryName): string {
  return [key, place, createdAt.toString(36), expiresAt.toString(36), bytes.toString(36)].join("-");
}

/**
 * The cache's files: one per answer, whose name says all that finding it needs, so that a start reads directories only.
 *
 * A file appears whole or not at all: it is written under another name, forced to disk and then renamed. All calls are
 * asynchronous; none throws for a file that is not there.
 */
export class AnswerFiles {
  readonly #directory: string;
  readonly #folders = new Set<string>();
  readonly #turns = new Turns(OPENING_MAX);

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** All entries there are. Removes what a crash left unfinished. */
  async *list(): AsyncGenerator<readonly EntryName[]> {
    for (const folder of await namesIn(this.#directory)) {
      if (!FOLDER.test(folder)) continue;
      const entries: EntryName[] = [];
      for (const file of await namesIn(join(this.#directory, folder))) {
        const [, key, place, created, expires, bytes] = NAME.exec(file) ?? [];
        if (key !== undefined) {
          const [createdAt, expiresAt, size] = [created!, expires!, bytes!].map((each) => Number.parseInt(each, 36));
          entries.push({
            folder,
            key,
            place: Number(place),
            createdAt: createdAt!,
            expiresAt: expiresAt!,
            bytes: size!,
          });
        } else if (file.startsWith(UNFINISHED)) await unlinkIfThere(join(this.#directory, folder, file));
      }
      yield entries;
    }
  }

  /** Writes the file of `name`, whose `bytes` must be those of `parts`. @throws where the disk cannot take it. */
  async write(name: EntryName, parts: readonly Uint8Array[]): Promise<void> {
    const folder = join(this.#directory, name.folder);
    if (!this.#folders.has(folder)) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      this.#folders.add(folder);
    }
    const unfinished = join(folder, `${UNFINISHED}${randomUUID()}`);
    try {
      const file = await open(unfinished, "wx", 0o600);
      try {
        await file.writeFile(parts.length === 1 ? parts[0]! : Buffer.concat(parts));
        await file.datasync();
      } finally {
        await file.close();
      }
      await rename(unfinished, this.#path(name));
    } catch (error) {
      this.#folders.delete(folder);
      await unlinkIfThere(unfinished);
      throw error;
    }
  }

  /** @returns undefined where the file is gone or not what its name says. */
  open(name: EntryName): Promise<AnswerFile | undefined> {
    return this.#turns.take(() => this.#open(name));
  }

  async #open(name: EntryName): Promise<AnswerFile | undefined> {
    let file: FileHandle | undefined;
    try {
      file = await open(this.#path(name), "r");
      return await AnswerFile.read(file, name.bytes);
    } catch {
      // Removed by hand or damaged: to the cache both mean that it does not have it.
      await file?.close();
      return undefined;
    }
  }

  remove(name: EntryName): Promise<void> {
    return unlinkIfThere(this.#path(name));
  }

  #path(name: EntryName): string {
    return join(this.#directory, name.folder, nameOf(name));
  }
}

const MAGIC = Buffer.from("WEIR-CACHE-1\n");
/** Files that are being opened at once: a burst of hits must not use up what the process may have open. */
const OPENING_MAX = 64;
/** What is read at once. */
const WINDOW_BYTES = 256 * 1_024;

/** The bytes of a file: a mark, the length of its head, the head as JSON, the body. */
export function encodeEntry(answer: StoredAnswer, origin: AnswerOrigin): Uint8Array[] {
  const { status, reason, headers, chunks } = answer;
  const head: EntryHead = { ...origin, status, reason, headers, lengths: chunks.map(({ byteLength }) => byteLength) };
  const json = Buffer.from(JSON.stringify(head));
  const length = Buffer.allocUnsafe(4);
  length.writeUInt32LE(json.byteLength);
  return [MAGIC, length, json, ...chunks];
}

/**
 * A file, read forward in windows of 256 kB, so that a slow client of a large answer costs little memory. One that fits
 * into a window is closed at once.
 */
class AnswerFile {
  readonly head: EntryHead;
  readonly #file: FileHandle | undefined;
  /** Bytes that were read and not taken. */
  #window: Buffer;
  #position: number;

  private constructor(head: EntryHead, file: FileHandle | undefined, window: Buffer, position: number) {
    this.head = head;
    this.#file = file;
    this.#window = window;
    this.#position = position;
  }

  /** @throws where the file is damaged. */
  static async read(file: FileHandle, bytes: number): Promise<AnswerFile> {
    if ((await file.stat()).size !== bytes) throw new Error("the file is not as long as its name says");
    let window = await readAt(file, 0, Math.min(bytes, WINDOW_BYTES));
    const start = MAGIC.byteLength + 4;
    if (!window.subarray(0, MAGIC.byteLength).equals(MAGIC)) throw new Error("the file is no cache entry");
    const end = start + window.readUInt32LE(MAGIC.byteLength);
    if (end > bytes) throw new Error("the file's head is longer than the file");
    if (end > window.byteLength) window = await readAt(file, 0, end);
    const head = JSON.parse(window.toString("utf8", start, end)) as EntryHead;
    const isWhole = window.byteLength === bytes;
    if (isWhole) await file.close();
    return new AnswerFile(head, isWhole ? undefined : file, window.subarray(end), window.byteLength);
  }

  /** The next `length` bytes, where they are in memory already. */
  takeNow(length: number): Buffer | undefined {
    if (this.#window.byteLength < length) return undefined;
    const bytes = this.#window.subarray(0, length);
    this.#window = this.#window.subarray(length);
    return bytes;
  }

  /** The next `length` bytes. @throws where the file cannot be read. */
  async take(length: number): Promise<Buffer> {
    const missing = length - this.#window.byteLength;
    if (missing > 0) {
      if (this.#file === undefined) throw new Error("the file ends too early");
      const more = await readAt(this.#file, this.#position, Math.max(missing, WINDOW_BYTES), missing);
      this.#position += more.byteLength;
      this.#window = Buffer.concat([this.#window, more]);
    }
    return this.takeNow(length)!;
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }
}

/** Lets so many do something at once; the others wait in line. */
class Turns {
  #free: number;
  readonly #line: (() => void)[] = [];

  constructor(most: number) {
    this.#free = most;
  }

  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((wake) => this.#line.push(wake));
    try {
      return await work();
    } finally {
      const next = this.#line.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}

/** @param atLeast - fewer bytes than this are a failure. */
async function readAt(file: FileHandle, position: number, length: number, atLeast = length): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  if (filled < atLeast) throw new Error("the file ends too early");
  return buffer.subarray(0, filled);
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

async function unlinkIfThere(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

function isMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === "ENOENT" || code === "ENOTDIR";
}
