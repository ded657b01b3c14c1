import type { ProviderPlugin } from "../../plugin-host/contract.ts";
import type { ContentReader } from "../body/content-reader.ts";
import { endsInFailure } from "../body/stream-end.ts";
import type { FallbackTarget } from "../retry/fallback-target.ts";
import type { Responder } from "../unified/call/responder.ts";
import { Flight, FlightBudget, type Head, type Reader } from "./flight.ts";
import type { Entry, Totals } from "./response-index.ts";
import { ResponseStore, type StoreOptions } from "./response-store.ts";
import type { CacheSettings } from "./settings.ts";
import { codingOfStream, isShareable, type ResponseOrigin, shareableHeaders } from "./stored-response.ts";

const FLIGHT_BYTES_MAX = 256 * 1_024 * 1_024;

interface CacheOptions extends StoreOptions {
  /** How long a provider may take to send its head; a slower call cannot be joined. */
  readonly headMsMax: number;
  /** Maximum size of one response's body, in bytes. */
  readonly entryBytesMax: number;
  readonly content: Pick<ContentReader, "fails">;
}

/** A request to the cache. */
export interface CacheRequest {
  readonly key: string;
  readonly settings: CacheSettings;
  readonly origin: ResponseOrigin;
  readonly provider: ProviderPlugin | undefined;
  /** The client asked that the response is not written to any file. */
  readonly omitResponse: boolean;
  /** The client's retry settings as text: requests with different ones share no call. */
  readonly retries: string;
}

/** A call in flight and what to do with its response. */
export interface SharedFlight {
  readonly flight: Flight;
  readonly request: CacheRequest;
  /** The bucket place that its response takes. */
  readonly place: number;
  /** How long to keep the response; undefined if it must not be stored. */
  keepMs: number | undefined;
  /** Do not store this response: a client requested that, or it reports a failure. */
  omit: boolean;
  /** The fallback that responded in place of the original target. */
  fallback: FallbackTarget | undefined;
  /** Who responded at the unified address; undefined in pass-through. */
  answerer: Responder | undefined;
  /** The provider that the response comes from, once known. */
  provider: ProviderPlugin | undefined;
}

/** The state before a response. */
const NO_ORIGIN = { fallback: undefined, answerer: undefined } as const;

/** The cache's result for a request: a stored response, a call in flight to follow, or the task to make the call. */
export type Claim = { readonly kind: "hit"; readonly entry: Entry } | ({ readonly kind: "follow" | "lead" } & Passage);

export interface Passage {
  readonly shared: SharedFlight;
  readonly reader: Reader;
}

/** Counts since the start, and current totals. */
export interface CacheCounts {
  readonly hits: number;
  readonly misses: number;
  /** Number of responses that could not be stored. */
  readonly failures: number;
  readonly totals: Totals;
}

/**
 * Stored responses, and calls in flight that identical requests share. Gateway thread; nothing here waits for the disk
 * unless its caller does.
 */
export class ResponseCache {
  readonly store: ResponseStore;
  readonly #content: CacheOptions["content"];
  readonly #bodyBytesMax: number;
  readonly #headMsMax: number;
  readonly #budget = new FlightBudget(FLIGHT_BYTES_MAX);
  readonly #flights = new Map<string, SharedFlight[]>();
  hits = 0;
  misses = 0;

  constructor(options: CacheOptions) {
    this.store = new ResponseStore(options);
    this.#content = options.content;
    this.#headMsMax = options.headMsMax;
    this.#bodyBytesMax = Math.min(options.entryBytesMax, options.bytesMax);
  }

  /**
   * Decides synchronously, so that of many identical requests exactly as many call the provider as the bucket has room for.
   * A caller that gets "lead" must `launch` or `abandon` the flight.
   */
  claim(request: CacheRequest): Claim {
    const { key, settings } = request;
    const now = Date.now();
    const places = [...Array(settings.bucketSize).keys()];
    const bucket = this.store.bucket(key);
    const stored = places.filter((place) => isFresh(bucket[place], settings, now));
    const flights = (this.#flights.get(key) ?? []).filter(
      ({ place, flight }) => place < settings.bucketSize && !flight.isOverdue(this.#headMsMax),
    );
    if (settings.read && stored.length === settings.bucketSize) return { kind: "hit", entry: bucket[oneOf(stored)]! };
    const alike = flights.filter((shared) => shared.request.retries === request.retries);
    if (settings.read && alike.length > 0 && stored.length + flights.length >= settings.bucketSize)
      return this.#follow(oneOf(alike), request);
    const flying = new Set(flights.map(({ place }) => place));
    const free = places.find((place) => !flying.has(place) && !isFresh(bucket[place], settings, now));
    return this.#lead(request, free ?? oldest(places, bucket));
  }

  /**
   * Removes the matching responses of one organization, and keeps matching calls in flight from being stored.
   *
   * @returns how many.
   */
  async purge(organizationId: string, fits: (origin: ResponseOrigin, key: string) => boolean): Promise<number> {
    await this.store.loaded;
    for (const flight of [...this.#flights.values()].flat()) {
      const { origin, key } = flight.request;
      if (origin.organizationId === organizationId && fits(origin, key)) flight.omit = true;
    }
    return this.store.purge(organizationId, fits);
  }

  /** Counts since the start, and current totals. */
  counts(): CacheCounts {
    const { failures, totals } = this.store;
    return { hits: this.hits, misses: this.misses, failures, totals };
  }

  /** Waits until pending writes are in their files. */
  close(): Promise<void> {
    return this.store.close();
  }

  #follow(shared: SharedFlight, { settings, omitResponse }: CacheRequest): Claim {
    if (settings.save) shared.keepMs ??= settings.keepMs;
    if (omitResponse) shared.omit = true;
    return { kind: "follow", shared, reader: shared.flight.reserve() };
  }

  #lead(request: CacheRequest, place: number): Claim {
    const { key, settings, omitResponse, provider } = request;
    const flight: Flight = new Flight({
      budget: this.#budget,
      bytesMax: this.#bodyBytesMax,
      examine: (head, chunks) => this.#examine(shared, head, chunks),
      onLanded: (head, chunks) => this.#land(shared, head, chunks),
    });
    const keepMs = settings.save ? settings.keepMs : undefined;
    const shared: SharedFlight = { flight, request, place, keepMs, omit: omitResponse, provider, ...NO_ORIGIN };
    const others = this.#flights.get(key);
    if (others === undefined) this.#flights.set(key, [shared]);
    else others.push(shared);
    return { kind: "lead", shared, reader: flight.reserve() };
  }

  /** A response that reports a failure is not kept, regardless of its status and coding. */
  #examine(shared: SharedFlight, head: Head, chunks: readonly Uint8Array[]): Promise<void> | undefined {
    const coding = codingOfStream(head.headers);
    if (coding === undefined || !isShareable(head.status)) return undefined;
    const note = (fails: boolean) => {
      if (fails) shared.omit = true;
    };
    if (coding === "") return void note(endsInFailure(chunks));
    return this.#content.fails({ bytes: Buffer.concat(chunks), coding }).then(note);
  }

  #land(shared: SharedFlight, head: Head | undefined, chunks: readonly Uint8Array[] | undefined): void {
    const { request, place, keepMs } = shared;
    const { key, origin } = request;
    const others = this.#flights.get(key)?.filter((each) => each !== shared) ?? [];
    if (others.length === 0) this.#flights.delete(key);
    else this.#flights.set(key, others);
    if (head === undefined || chunks === undefined || keepMs === undefined) return;
    if (shared.omit || keepMs <= 0 || !isShareable(head.status)) return;
    const { status, reason } = head;
    const { answerer, provider } = shared;
    const shareable = shareableHeaders(head.headers, provider);
    const response = { status, reason, headers: shareable, chunks, ...(answerer !== undefined && { answerer }) };
    this.store.put({ key, place, keepMs }, response, origin);
  }
}

function isFresh(entry: Entry | undefined, { ageMsMax }: CacheSettings, now: number): entry is Entry {
  if (entry === undefined || entry.expiresAt <= now) return false;
  return ageMsMax === undefined || now - entry.createdAt < ageMsMax;
}

function oldest(places: readonly number[], bucket: readonly (Entry | undefined)[]): number {
  const age = (place: number) => bucket[place]?.createdAt ?? 0;
  return places.reduce((a, b) => (age(b) < age(a) ? b : a));
}

function oneOf<T>(all: readonly T[]): T {
  return all[Math.floor(Math.random() * all.length)]!;
}
