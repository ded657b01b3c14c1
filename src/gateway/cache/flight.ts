import type { UpstreamCall, UpstreamError, UpstreamEvents } from "../../runtime/http/upstream.ts";

/** Maximum pieces that a flight keeps; a stream with more is neither shared nor stored. */
const CHUNKS_MAX = 65_536;

/** The memory limit of all flights of one gateway together. */
export class FlightBudget {
  readonly bytesMax: number;
  used = 0;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }
}

export interface Head {
  readonly status: number;
  readonly reason: string;
  /** As the provider sent them. */
  readonly headers: readonly string[];
  readonly time: number;
}

interface FlightOptions {
  readonly budget: FlightBudget;
  /** Bytes of a body kept for requests that join later and for the store. */
  readonly bytesMax: number;
  /** Checks a complete kept body before readers see its end; the end waits for the returned promise. */
  readonly examine?: (head: Head, chunks: readonly Uint8Array[]) => Promise<void> | undefined;
  /** Called once when no more readers can join, with the body if it is complete and was kept. */
  readonly onLanded: (head: Head | undefined, chunks: readonly Uint8Array[] | undefined) => void;
}

/**
 * One call to a provider shared by any number of identical requests. Each gets the response from its first byte and at its
 * own client's speed. The call continues while at least one reader is left.
 *
 * Up to `bytesMax` the body is kept, and the provider is paused only when every reader is. Beyond that no reader can join,
 * and the slowest reader pauses the provider, so that memory stays bounded.
 */
export class Flight implements UpstreamEvents {
  readonly #options: FlightOptions;
  readonly #launched = Promise.withResolvers<boolean>();
  readonly #readers = new Set<Reader>();
  #call: UpstreamCall | undefined;
  /** By `performance.now()`. */
  #launchedMs = Number.POSITIVE_INFINITY;
  #head: Head | undefined;
  #chunks: Uint8Array[] = [];
  /** Number of the first chunk in `#chunks`. */
  #first = 0;
  #bytes = 0;
  #paused = false;
  #result: "open" | "whole" | UpstreamError = "open";
  #landed = false;
  /** False once the body exceeds the limit. */
  #kept = true;

  constructor(options: FlightOptions) {
    this.#options = options;
  }

  /** Whether the call was made; false if its first client was refused or left before. */
  get launched(): Promise<boolean> {
    return this.#launched.promise;
  }

  /** Whether the response should have begun by now. */
  isOverdue(headMsMax: number): boolean {
    return this.#head === undefined && performance.now() - this.#launchedMs >= headMsMax;
  }

  /** Reserves a place in this flight. Its `join` may follow later: everything is kept for it until then. */
  reserve(): Reader {
    const reader = new Reader(this);
    this.#readers.add(reader);
    return reader;
  }

  /** @param open - makes the call; its events go to this flight. */
  launch(open: (events: UpstreamEvents) => UpstreamCall): void {
    this.#call = open(this);
    this.#launchedMs = performance.now();
    this.#launched.resolve(true);
  }

  /** The call will not be made. */
  abandon(): void {
    if (this.#call !== undefined || this.#landed) return;
    this.#land(undefined);
    this.#launched.resolve(false);
  }

  onHead(status: number, reason: string, headers: readonly string[]): void {
    this.#head = { status, reason, headers, time: Date.now() };
    this.#feed();
  }

  onData(bytes: Uint8Array): void {
    const { budget, bytesMax } = this.#options;
    this.#chunks.push(bytes);
    this.#bytes += bytes.byteLength;
    budget.used += bytes.byteLength;
    if (this.#kept && (this.#bytes > bytesMax || this.#last > CHUNKS_MAX || budget.used > budget.bytesMax)) {
      this.#kept = false;
      this.#land(undefined);
    }
    this.#feed();
  }

  onEnd(): void {
    const examined =
      this.#kept && this.#head !== undefined ? this.#options.examine?.(this.#head, this.#chunks) : undefined;
    if (examined === undefined) this.#end();
    else {
      this.#call = undefined; // it has ended: nothing to pause or to abort
      void examined.then(() => this.#end());
    }
  }

  #end(): void {
    this.#result = "whole";
    // Store it before readers see the end, so that an immediate repeat finds it.
    this.#land(this.#kept ? this.#chunks : undefined);
    this.#feed();
  }

  onError(error: UpstreamError): void {
    this.#result = error;
    this.#land(undefined);
    this.#feed();
  }

  onDrain(): void {}

  /** Sends one reader everything available that it accepts. */
  feed(reader: Reader): void {
    if (reader.feeding) return;
    this.#advance(reader);
    this.#settle();
  }

  leave(reader: Reader): void {
    if (!this.#readers.delete(reader)) return;
    if (this.#readers.size === 0) {
      if (this.#result === "open") this.#call?.abort();
      this.#land(undefined);
    }
    this.#settle();
  }

  get #last(): number {
    return this.#first + this.#chunks.length;
  }

  #feed(): void {
    for (const reader of this.#readers) this.#advance(reader);
    this.#settle();
  }

  #advance(reader: Reader): void {
    if (reader.events === undefined || reader.feeding) return;
    reader.feeding = true;
    this.#deliver(reader, reader.events);
    reader.feeding = false;
  }

  #deliver(reader: Reader, events: UpstreamEvents): void {
    const there = () => this.#readers.has(reader) && !reader.paused;
    if (this.#head !== undefined && !reader.headSeen && there()) {
      reader.headSeen = true;
      const { status, reason, headers } = this.#head;
      events.onHead(status, reason, headers);
    }
    while (reader.at < this.#last && there()) events.onData(this.#chunks[reader.at++ - this.#first]!);
    if (reader.at < this.#last || this.#result === "open") return;
    // A failure is delivered even to paused readers: no more data follows.
    if (this.#result === "whole" ? !there() : !this.#readers.has(reader)) return;
    this.#readers.delete(reader);
    if (this.#result === "whole") events.onEnd();
    else events.onError(this.#result);
  }

  /** Releases unneeded chunks, and pauses or resumes the provider. */
  #settle(): void {
    if (!this.#kept || this.#landed) this.#release();
    if (this.#result !== "open" || this.#readers.size === 0) return;
    const readers = [...this.#readers];
    const blocked = (reader: Reader) => reader.paused || reader.events === undefined;
    const hold = this.#kept ? readers.every(blocked) : readers.some(blocked);
    if (hold === this.#paused) return;
    this.#paused = hold;
    if (hold) this.#call?.pause();
    else this.#call?.resume();
  }

  #release(): void {
    let needed = this.#last;
    for (const { at } of this.#readers) needed = Math.min(needed, at);
    if (needed === this.#first) return;
    // A new array: the one handed to the store must not change.
    const gone = this.#chunks.slice(0, needed - this.#first);
    this.#chunks = this.#chunks.slice(needed - this.#first);
    this.#first = needed;
    for (const { byteLength } of gone) this.#options.budget.used -= byteLength;
  }

  #land(chunks: readonly Uint8Array[] | undefined): void {
    if (this.#landed) return;
    this.#landed = true;
    this.#options.onLanded(this.#head, chunks);
  }
}

/** One request's place in a flight. */
export class Reader implements UpstreamCall {
  readonly #flight: Flight;
  events: UpstreamEvents | undefined;
  paused = false;
  feeding = false;
  headSeen = false;
  /** Number of the next chunk. */
  at = 0;

  constructor(flight: Flight) {
    this.#flight = flight;
  }

  /** Sends the response to `events` from its start, never before this call has returned. */
  join(events: UpstreamEvents): UpstreamCall {
    queueMicrotask(() => {
      this.events = events;
      this.#flight.feed(this);
    });
    return this;
  }

  /** The request's body was sent with the call. */
  write(): boolean {
    return true;
  }

  end(): void {}

  pause(): void {
    this.paused = true;
    this.#flight.feed(this);
  }

  resume(): void {
    this.paused = false;
    this.#flight.feed(this);
  }

  abort(): void {
    this.#flight.leave(this);
  }
}
