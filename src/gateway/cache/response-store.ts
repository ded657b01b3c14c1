import { setImmediate as nextTurn } from "node:timers/promises";
import { type Log, messageOf } from "../../log.ts";
import { encodeEntry, type ResponseFile } from "./response-file.ts";
import { folderOf, ResponseFiles } from "./response-files.ts";
import { type Entry, ResponseIndex, type Totals } from "./response-index.ts";
import { memorySource, type ResponseOrigin, type ResponseSource, type StoredResponse } from "./stored-response.ts";

/** Maximum bytes of responses waiting for the disk; further ones are not stored. */
const WAITING_BYTES_MAX = 64 * 1_024 * 1_024;
/** How often expired entries are removed, and how many keys are checked without a pause. */
const SWEEP_MS = 60_000;
const SWEEP_KEYS = 1_000;

export interface StoreOptions {
  /** Undefined in a thread that does not serve the cache: it leaves the files alone. */
  readonly directory: string | undefined;
  readonly log: Log;
  /** Bytes of all files; 0 switches the cache off. */
  readonly bytesMax: number;
  readonly entriesMax: number;
}

/** Stored responses: their files, their index in memory, and pending writes. */
export class ResponseStore {
  readonly #options: StoreOptions;
  readonly #files: ResponseFiles;
  readonly #index: ResponseIndex;
  readonly #writing = new Map<Entry, { readonly response: StoredResponse; readonly origin: ResponseOrigin }>();
  readonly #writes = new Set<Promise<void>>();
  readonly #sweeper: ReturnType<typeof setInterval>;
  #waitingBytes = 0;
  /** Resolves once the files of earlier runs are indexed. Never rejects. */
  readonly loaded: Promise<void>;
  /** Number of responses that could not be stored. */
  failures = 0;

  constructor(options: StoreOptions) {
    this.#options = options;
    this.#files = new ResponseFiles(options.directory ?? "");
    this.#index = new ResponseIndex(options, (entry) => this.#removeFile(entry));
    this.loaded = this.#load();
    this.#sweeper = setInterval(() => void this.#sweep(), SWEEP_MS);
    this.#sweeper.unref();
  }

  get totals(): Totals {
    return { entries: this.#index.entries, bytes: this.#index.bytes };
  }

  totalsOf(organizationId: string): Totals {
    return this.#index.totalsOf(folderOf(organizationId));
  }

  /** The responses stored for one key, by place; undefined in the gaps. */
  bucket(key: string): readonly (Entry | undefined)[] {
    return this.#index.bucket(key);
  }

  /** One organization's responses, most recently used first. */
  entriesOf(organizationId: string): Entry[] {
    return this.#index.of(folderOf(organizationId)).reverse();
  }

  /** @returns undefined if the response is gone; its entry is then removed, too. */
  async open(entry: Entry): Promise<ResponseSource | undefined> {
    const writing = this.#writing.get(entry);
    const source = writing === undefined ? await this.#openFile(entry) : memorySource(writing.response, writing.origin);
    if (source !== undefined) this.#index.touch(entry.key, entry.place);
    return source;
  }

  async #openFile(entry: Entry): Promise<ResponseFile | undefined> {
    const onDamaged = (error: unknown) => this.#letGo(entry, error);
    const file = await this.#files.open(entry, onDamaged);
    if (file !== undefined) file.onDamaged = onDamaged;
    return file;
  }

  /** The origin of a response; undefined if it is gone. */
  async originOf(entry: Entry): Promise<ResponseOrigin | undefined> {
    const writing = this.#writing.get(entry);
    if (writing !== undefined) return writing.origin;
    const source = await this.#files.open(entry);
    await source?.close();
    return source?.head;
  }

  /** Stores a response in memory immediately and in its file soon after; one that the disk cannot take now is skipped. */
  put(
    { key, place, keepMs }: { key: string; place: number; keepMs: number },
    response: StoredResponse,
    origin: ResponseOrigin,
  ): void {
    const parts = encodeEntry(response, origin);
    const bytes = parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
    if (bytes > this.#options.bytesMax || this.#waitingBytes + bytes > WAITING_BYTES_MAX) {
      this.failures++;
      return;
    }
    const createdAt = Date.now();
    const folder = folderOf(origin.organizationId);
    const entry: Entry = { folder, key, place, createdAt, expiresAt: createdAt + keepMs, bytes };
    this.#index.add(entry);
    this.#writing.set(entry, { response, origin });
    this.#waitingBytes += bytes;
    this.#track(this.#write(entry, parts));
  }

  /** Removes the matching responses of one organization; resolves when the files are deleted. @returns how many. */
  async purge(organizationId: string, fits: (origin: ResponseOrigin, key: string) => boolean): Promise<number> {
    let removed = 0;
    for (const entry of this.#index.of(folderOf(organizationId))) {
      const origin = await this.originOf(entry);
      if (!this.#isCurrent(entry) || (origin !== undefined && !fits(origin, entry.key))) continue;
      this.#index.remove(entry.key, entry.place);
      removed++;
    }
    await Promise.all(this.#writes);
    return removed;
  }

  /** Waits until pending writes are in their files. */
  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    await this.loaded;
    while (this.#writes.size > 0) await Promise.all(this.#writes);
  }

  async #write(entry: Entry, parts: readonly Uint8Array[]): Promise<void> {
    try {
      await this.#files.write(entry, parts);
      this.#writing.delete(entry);
      // It was evicted or purged during the write. Callers that wait for the write also wait for its removal.
      if (!this.#isCurrent(entry)) await this.#unlink(entry);
    } catch (error) {
      this.#writing.delete(entry);
      this.#failed("a response could not be stored in the cache", error);
      if (this.#isCurrent(entry)) this.#index.remove(entry.key, entry.place);
    } finally {
      this.#waitingBytes -= entry.bytes;
    }
  }

  async #load(): Promise<void> {
    if (this.#options.directory === undefined) return;
    const now = Date.now();
    try {
      const found: Entry[] = [];
      for await (const entries of this.#files.list()) found.push(...entries);
      // Newest last: it wins a place that two files claim, and is evicted last.
      found.sort((a, b) => a.createdAt - b.createdAt);
      for (const entry of found) {
        if (entry.expiresAt <= now) this.#removeFile(entry);
        else this.#index.add(entry);
      }
    } catch (error) {
      this.#options.log.error("the cache's directory cannot be read", { error: messageOf(error) });
    }
  }

  async #sweep(): Promise<void> {
    let looked = 0;
    for (const key of [...this.#index.keys()]) {
      const now = Date.now();
      for (const entry of this.#index.bucket(key))
        if (entry !== undefined && entry.expiresAt <= now) this.#index.remove(key, entry.place);
      if (++looked % SWEEP_KEYS === 0) await nextTurn();
    }
  }

  #removeFile(entry: Entry): void {
    // A file still being written is removed once the write is done.
    if (!this.#writing.has(entry)) this.#track(this.#unlink(entry));
  }

  async #unlink(entry: Entry): Promise<void> {
    try {
      await this.#files.remove(entry);
    } catch (error) {
      this.#failed("a file could not be removed from the cache", error);
    }
  }

  /** The file is missing or damaged; the provider is called again. */
  #letGo(entry: Entry, error: unknown): void {
    if (!this.#isCurrent(entry)) return;
    this.#options.log.warn("a stored response cannot be read and is dropped", { error: messageOf(error) });
    this.#index.remove(entry.key, entry.place);
  }

  #isCurrent(entry: Entry): boolean {
    return this.#index.bucket(entry.key)[entry.place] === entry;
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#writes.delete(tracked));
    this.#writes.add(tracked);
  }

  #failed(what: string, error: unknown): void {
    this.failures++;
    // A full disk must not flood the log as well.
    if (this.failures <= 10 || this.failures % 1_000 === 0)
      this.#options.log.warn(what, { error: messageOf(error), failures: this.failures });
  }
}
