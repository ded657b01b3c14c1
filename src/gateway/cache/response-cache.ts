import { type Log, messageOf } from "../../observe.ts";
import type { ProviderPlugin } from "../../plugin/contract.ts";
import type { FallbackTarget } from "../retry/fallback-request.ts";
import { encodeEntry } from "./answer-file.ts";
import { AnswerFiles, folderOf } from "./answer-files.ts";
import { AnswerIndex, type Entry, type Totals } from "./answer-index.ts";
import { Flight, FlightBudget, type Head, type Reader } from "./flight.ts";
import { KeyMaker } from "./key-maker.ts";
import type { CacheSettings } from "./settings.ts";
import {
  type AnswerOrigin,
  type AnswerSource,
  codingOfStream,
  isShareable,
  memorySource,
  type StoredAnswer,
  shareableHeaders,
} from "./stored-answer.ts";
import { endsInFailure } from "./stream-end.ts";

/** Answers that wait for the disk; one more is not stored. */
const WAITING_BYTES_MAX = 64 * 1_024 * 1_024;
const FLIGHT_BYTES_MAX = 256 * 1_024 * 1_024;
/** How often the expired are looked for, and how many keys are looked at without a pause. */
const SWEEP_MS = 60_000;
const SWEEP_KEYS = 1_000;

interface CacheOptions {
  /** Undefined in a thread that is never asked for the cache: it leaves the files alone. */
  readonly directory: string | undefined;
  readonly log: Log;
  /** Bytes of all files; 0 switches the cache off. */
  readonly bytesMax: number;
  /** Bytes of one answer's body. */
  readonly entryBytesMax: number;
  readonly entriesMax: number;
}

/** Who asks, and for what. */
export interface CacheRequest {
  readonly key: string;
  readonly settings: CacheSettings;
  readonly origin: AnswerOrigin;
  readonly provider: ProviderPlugin | undefined;
  /** The client wants the answer kept out of every file. */
  readonly omitResponse: boolean;
  /** What the client wants done when the provider fails, as text: requests that differ in it share no call. */
  readonly retries: string;
}

/** A call that is under way, and what it will become. */
interface SharedFlight {
  readonly flight: Flight;
  readonly request: CacheRequest;
  /** Place in the bucket that its answer takes. */
  readonly place: number;
  /** How long to keep its answer; undefined where nobody wants it kept. */
  keepMs: number | undefined;
  /** This answer is to be written nowhere: someone asked for that, or it tells of a failure. */
  omit: boolean;
  /** Who answered in the place of the target that was asked. */
  fallback: FallbackTarget | undefined;
}

/** What the cache has for a request: a stored answer, a call under way to share, or the task to make that call. */
export type Claim = { readonly kind: "hit"; readonly entry: Entry } | ({ readonly kind: "follow" | "lead" } & Passage);

export interface Passage {
  readonly shared: SharedFlight;
  readonly reader: Reader;
}

/**
 * Stored answers, and calls under way that identical requests share. Gateway thread; nothing here waits for the disk
 * unless its caller does.
 */
export class ResponseCache {
  readonly #options: CacheOptions;
  readonly #files: AnswerFiles;
  readonly #index: AnswerIndex;
  readonly keys = new KeyMaker();
  readonly #budget = new FlightBudget(FLIGHT_BYTES_MAX);
  readonly #flights = new Map<string, SharedFlight[]>();
  readonly #writing = new Map<Entry, { readonly answer: StoredAnswer; readonly origin: AnswerOrigin }>();
  readonly #writes = new Set<Promise<void>>();
  readonly #sweeper: ReturnType<typeof setInterval>;
  #waitingBytes = 0;
  /** Resolves once the files of earlier runs are known. Never rejects. */
  readonly loaded: Promise<void>;
  hits = 0;
  misses = 0;
  /** Answers that could not be stored. */
  failures = 0;

  constructor(options: CacheOptions) {
    this.#options = options;
    this.#files = new AnswerFiles(options.directory ?? "");
    this.#index = new AnswerIndex(options, (entry) => this.#removeFile(entry));
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

  /**
   * Decides at once, so that of many identical requests exactly as many call the provider as the bucket has room for.
   * A caller that is told to lead must `launch` or `abandon` the flight.
   */
  claim(request: CacheRequest): Claim {
    const { key, settings } = request;
    const now = Date.now();
    const places = [...Array(settings.bucketSize).keys()];
    const bucket = this.#index.bucket(key);
    const stored = places.filter((place) => isFresh(bucket[place], settings, now));
    const flights = (this.#flights.get(key) ?? []).filter(({ place }) => place < settings.bucketSize);
    if (settings.read && stored.length === settings.bucketSize) return { kind: "hit", entry: bucket[oneOf(stored)]! };
    const alike = flights.filter((shared) => shared.request.retries === request.retries);
    if (settings.read && alike.length > 0 && stored.length + flights.length >= settings.bucketSize)
      return this.#follow(oneOf(alike), request);
    const flying = new Set(flights.map(({ place }) => place));
    const free = places.find((place) => !flying.has(place) && !isFresh(bucket[place], settings, now));
    return this.#lead(request, free ?? oldest(places, bucket));
  }

  /** @returns undefined where the answer is gone; the entry then is, too. */
  async open(entry: Entry): Promise<AnswerSource | undefined> {
    const writing = this.#writing.get(entry);
    const source = writing === undefined ? await this.#files.open(entry) : memorySource(writing.answer, writing.origin);
    if (source !== undefined) this.#index.touch(entry.key, entry.place);
    else if (this.#isCurrent(entry)) this.#index.remove(entry.key, entry.place);
    return source;
  }

  /** Removes what fits of one organization's answers, and keeps what is under way from being stored. @returns how many. */
  async purge(organizationId: string, fits: (origin: AnswerOrigin, key: string) => boolean): Promise<number> {
    await this.loaded;
    for (const flight of [...this.#flights.values()].flat()) {
      const { origin, key } = flight.request;
      if (origin.organizationId === organizationId && fits(origin, key)) flight.omit = true;
    }
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

  /** One organization's answers, the last used one first. */
  entriesOf(organizationId: string): Entry[] {
    return this.#index.of(folderOf(organizationId)).reverse();
  }

  /** What is known of an answer; undefined where it is gone. */
  async originOf(entry: Entry): Promise<AnswerOrigin | undefined> {
    const writing = this.#writing.get(entry);
    if (writing !== undefined) return writing.origin;
    const source = await this.#files.open(entry);
    await source?.close();
    return source?.head;
  }

  /** Waits until what is stored is in its files. */
  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    await Promise.all([this.loaded, this.keys.close()]);
    while (this.#writes.size > 0) await Promise.all(this.#writes);
  }

  #follow(shared: SharedFlight, { settings, omitResponse }: CacheRequest): Claim {
    if (settings.save) shared.keepMs ??= settings.keepMs;
    if (omitResponse) shared.omit = true;
    return { kind: "follow", shared, reader: shared.flight.reserve() };
  }

  #lead(request: CacheRequest, place: number): Claim {
    const { key, settings, omitResponse } = request;
    const flight: Flight = new Flight({
      budget: this.#budget,
      bytesMax: Math.min(this.#options.entryBytesMax, this.#options.bytesMax),
      examine: (head, chunks) => this.#examine(shared, head, chunks),
      onLanded: (head, chunks) => this.#land(shared, head, chunks),
    });
    const keepMs = settings.save ? settings.keepMs : undefined;
    const shared: SharedFlight = { flight, request, place, keepMs, omit: omitResponse, fallback: undefined };
    const others = this.#flights.get(key);
    if (others === undefined) this.#flights.set(key, [shared]);
    else others.push(shared);
    return { kind: "lead", shared, reader: flight.reserve() };
  }

  /** What tells of a failure is not kept, whatever its status and its coding. */
  #examine(shared: SharedFlight, head: Head, chunks: readonly Uint8Array[]): Promise<void> | undefined {
    const coding = codingOfStream(head.headers);
    if (coding === undefined || !isShareable(head.status)) return undefined;
    const note = (fails: boolean) => {
      if (fails) shared.omit = true;
    };
    if (coding === "") return void note(endsInFailure(chunks));
    return this.keys.fails({ bytes: Buffer.concat(chunks), coding }).then(note);
  }

  #land(shared: SharedFlight, head: Head | undefined, chunks: readonly Uint8Array[] | undefined): void {
    const { key } = shared.request;
    const others = this.#flights.get(key)?.filter((each) => each !== shared) ?? [];
    if (others.length === 0) this.#flights.delete(key);
    else this.#flights.set(key, others);
    const { keepMs } = shared;
    if (head === undefined || chunks === undefined || keepMs === undefined) return;
    if (shared.omit || keepMs <= 0 || !isShareable(head.status)) return;
    this.#store(shared, keepMs, head, chunks);
  }

  #store({ request, place }: SharedFlight, keepMs: number, head: Head, chunks: readonly Uint8Array[]): void {
    const { key, origin, provider } = request;
    const { status, reason } = head;
    const answer = { status, reason, headers: shareableHeaders(head.headers, provider), chunks };
    const parts = encodeEntry(answer, origin);
    const bytes = parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
    if (bytes > this.#options.bytesMax || this.#waitingBytes + bytes > WAITING_BYTES_MAX) {
      this.failures++;
      return;
    }
    const createdAt = Date.now();
    const folder = folderOf(origin.organizationId);
    const entry: Entry = { folder, key, place, createdAt, expiresAt: createdAt + keepMs, bytes };
    this.#index.add(entry);
    this.#writing.set(entry, { answer, origin });
    this.#waitingBytes += bytes;
    this.#track(this.#write(entry, parts));
  }

  async #write(entry: Entry, parts: readonly Uint8Array[]): Promise<void> {
    try {
      await this.#files.write(entry, parts);
      this.#writing.delete(entry);
      // It was pushed out or purged while it was written. Who waits for the write waits for its removal as well.
      if (!this.#isCurrent(entry)) await this.#unlink(entry);
    } catch (error) {
      this.#writing.delete(entry);
      this.#failed("an answer could not be stored in the cache", error);
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
      // The newest last: it wins a place that two files claim, and is pushed out last.
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
      if (++looked % SWEEP_KEYS === 0) await new Promise((wake) => setImmediate(wake));
    }
  }

  #removeFile(entry: Entry): void {
    // A file that is still being written is removed when it is there.
    if (!this.#writing.has(entry)) this.#track(this.#unlink(entry));
  }

  async #unlink(entry: Entry): Promise<void> {
    try {
      await this.#files.remove(entry);
    } catch (error) {
      this.#failed("a file could not be removed from the cache", error);
    }
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
    // A full disk must not fill the log as well.
    if (this.failures <= 10 || this.failures % 1_000 === 0)
      this.#options.log.warn(what, { error: messageOf(error), failures: this.failures });
  }
}

function isFresh(entry: Entry | undefined, { ageMsMax }: CacheSettings, now: number): entry is Entry {
  if (entry === undefined || entry.expiresAt <= now) return false;
  return ageMsMax === undefined || now - entry.createdAt <= ageMsMax;
}

function oldest(places: readonly number[], bucket: readonly (Entry | undefined)[]): number {
  const age = (place: number) => bucket[place]?.createdAt ?? 0;
  return places.reduce((a, b) => (age(b) < age(a) ? b : a));
}

function oneOf<T>(all: readonly T[]): T {
  return all[Math.floor(Math.random() * all.length)]!;
}
