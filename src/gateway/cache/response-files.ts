import { createHash, randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, readdir, rename, unlink } from "node:fs/promises";
import { join } from "node:path";
import { ResponseFile } from "./response-file.ts";
import { Turns } from "./turns.ts";

/** One stored response, as described by its file name. */
export interface EntryName {
  /** The organization's folder. */
  readonly folder: string;
  readonly key: string;
  /** Index in the bucket, from 0. */
  readonly place: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Size of the file. */
  readonly bytes: number;
}

/** An organization's folder, named by hash because an id may contain any character. */
export function folderOf(organizationId: string): string {
  return createHash("sha256").update(organizationId).digest("hex").slice(0, 32);
}

const FOLDER = /^[0-9a-f]{32}$/;
const NAME = /^([0-9a-f]{64})-(\d{1,2})-([0-9a-z]{1,11})-([0-9a-z]{1,11})-([0-9a-z]{1,11})$/;
const UNFINISHED = "unfinished-";
/** Maximum number of files opened at the same time: a burst of hits must not exhaust the process's file descriptors. */
const OPENING_MAX = 64;

function nameOf({ key, place, createdAt, expiresAt, bytes }: EntryName): string {
  return [key, place, createdAt.toString(36), expiresAt.toString(36), bytes.toString(36)].join("-");
}

/**
 * The cache's files, one per response. The name holds everything needed to find a response, so a start only reads
 * directories.
 *
 * Files appear atomically: each is written under a temporary name, synced to disk and renamed. All calls are asynchronous;
 * none throws for a missing file.
 */
export class ResponseFiles {
  readonly #directory: string;
  readonly #folders = new Set<string>();
  readonly #turns = new Turns(OPENING_MAX);

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** All entries. Removes unfinished files left by a crash. */
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

  /** Writes the file of `name`, whose `bytes` must be the size of `parts`. @throws if the disk write fails. */
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

  /** @returns undefined if the file is missing, damaged or does not match its name; `onFailed` receives the reason. */
  open(name: EntryName, onFailed: (error: unknown) => void = () => {}): Promise<ResponseFile | undefined> {
    return this.#turns.take(() => this.#open(name, onFailed));
  }

  async #open(name: EntryName, onFailed: (error: unknown) => void): Promise<ResponseFile | undefined> {
    let file: FileHandle | undefined;
    try {
      file = await open(this.#path(name), "r");
      return await ResponseFile.read(file, name.bytes);
    } catch (error) {
      // Removed by hand or damaged: the cache treats both as a miss.
      await file?.close();
      onFailed(error);
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
