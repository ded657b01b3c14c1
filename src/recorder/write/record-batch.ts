import { messageOf } from "../../log.ts";
import { collectGarbage } from "../../runtime/memory.ts";
import { lengthOfPart } from "../../store/packs/request-content.ts";
import type { Positions } from "../../store/spool-positions.ts";
import type { Exchange } from "../exchanges/exchange.ts";
import type { Prepared } from "../prepare/prepared.ts";
import { type Ready, RecordMaker, type RecordMakerOptions } from "./record-maker.ts";
import type { RecordWriter } from "./record-writer.ts";

/**
 * Milliseconds after which an exchange in flight gets a row, which is then visible half a second after its begin. Not
 * earlier, because it is an additional write.
 */
const IN_FLIGHT_MS = 400;
/** Maximum decoded body bytes in memory; a single body may be larger. */
const PREPARED_BYTES_MAX = 32 * 1024 * 1024;
/** Garbage after which a collection is requested: the engine's heap accounting does not see bodies. It takes milliseconds. */
const COLLECT_BYTES_MIN = 32 * 1024 * 1024;
/** Bytes of garbage for a byte of a body: it becomes a text and values. A file in it stays as it is. */
const GARBAGE_OF_TEXT = 2;

interface BatchesOptions extends RecordMakerOptions {
  readonly writer: RecordWriter;
}

/** Makes records of exchanges and writes them. */
export class Batches {
  readonly #maker: RecordMaker;
  readonly #writer: RecordWriter;

  constructor({ writer, ...options }: BatchesOptions) {
    this.#maker = new RecordMaker(options);
    this.#writer = writer;
  }

  /** Records since startup whose bodies were not read. */
  get unread(): number {
    return this.#maker.unread;
  }

  /** Exchanges in flight whose rows are due. */
  due(inFlight: Iterable<Exchange>, readBefore: number = performance.now() - IN_FLIGHT_MS): Exchange[] {
    return [...inFlight].filter(({ row, dropped, readAt }) => row !== "stored" && !dropped && readAt < readBefore);
  }

  /** Writes a row for each exchange in flight that has none. */
  async storeInFlight(inFlight: Iterable<Exchange>): Promise<void> {
    const without = this.due(inFlight, Number.POSITIVE_INFINITY);
    if (without.length > 0) await this.batch([], without, undefined).write();
  }

  batch(done: readonly Exchange[], inFlight: readonly Exchange[], positions: Positions | undefined): Batch {
    return new Batch(this.#maker, this.#writer, { done, inFlight, positions });
  }
}

interface BatchWork {
  readonly done: readonly Exchange[];
  readonly inFlight: readonly Exchange[];
  readonly positions: Positions | undefined;
}

/** One batch. `write` can be called again after it threw: it continues with what is not written yet. */
export class Batch {
  readonly #maker: RecordMaker;
  readonly #writer: RecordWriter;
  readonly #done: readonly Exchange[];
  readonly #inFlight: readonly Exchange[];
  readonly #positions: Positions | undefined;
  #rows: Prepared[] | undefined;
  #next = 0;
  #sliceStart = 0;
  #slice: Ready[] | undefined;
  /** Bytes of garbage that the slice leaves. */
  #garbage = 0;
  #oneByOne = false;
  #recorded = 0;

  constructor(maker: RecordMaker, writer: RecordWriter, { done, inFlight, positions }: BatchWork) {
    this.#maker = maker;
    this.#writer = writer;
    this.#done = done;
    this.#inFlight = inFlight;
    this.#positions = positions;
  }

  /** @returns how many exchanges got their final record. */
  async write(): Promise<number> {
    do {
      if (this.#slice === undefined) {
        this.#next = this.#sliceStart;
        this.#slice = await this.#prepareSlice();
      }
      await this.#commit(this.#slice);
      this.#slice = undefined;
      this.#sliceStart = this.#next;
      if (this.#garbage > COLLECT_BYTES_MIN) collectGarbage();
    } while (this.#next < this.#done.length);
    return this.#recorded;
  }

  /**
   * Call after a failure that may be a single row's fault: the rest is written one by one, so that a row which the database
   * never accepts does not block all others.
   */
  isolate(error: unknown): void {
    if (!this.#writer.sink.isFaulty(error)) return;
    this.#slice = undefined;
    this.#oneByOne = true;
  }

  async #prepareSlice(): Promise<Ready[]> {
    const slice: Ready[] = [];
    let [bytes, garbage] = [0, 0];
    const seen = new Set<Uint8Array>();
    let read: readonly (Prepared | undefined)[] = [];
    const now = Date.now();
    for (let at = 0; this.#next < this.#done.length && bytes < PREPARED_BYTES_MAX; at++) {
      if (at >= read.length && !this.#oneByOne) {
        const count = this.#maker.together(this.#done, this.#next);
        read =
          count > 1 ? this.#maker.prepareTogether(this.#done.slice(this.#next, this.#next + count), now) : [undefined];
        at = 0;
      }
      const exchange = this.#done[this.#next++]!;
      const ready = this.#maker.withoutPlugins(read[at]) ?? (await this.#maker.prepareFinal(exchange, read[at]));
      if (ready === undefined) await this.#withdraw(exchange);
      else {
        slice.push(ready);
        const size = sizeOf(ready.record, seen);
        bytes += size.bytes;
        garbage += size.garbage;
      }
      if (this.#oneByOne) break;
    }
    this.#maker.prepared();
    this.#garbage = garbage;
    return slice;
  }

  async #withdraw(exchange: Exchange): Promise<void> {
    this.#maker.drop("plugin", exchange.id);
    if (exchange.row !== "none") await this.#writer.sink.withdraw(exchange.id);
  }

  async #commit(slice: readonly Ready[]): Promise<void> {
    const last = this.#next >= this.#done.length;
    const records = slice.map(({ record }) => record);
    const rows = last ? await this.#inFlightRows() : [];
    try {
      const result = await this.#writer.commit(records, rows, last ? this.#positions : undefined, Date.now());
      this.#recorded += result.recorded.length;
      for (const id of result.collisions) this.#maker.drop("id_taken", id);
      await this.#maker.afterCommit(slice, result.recorded);
    } catch (error) {
      if (!this.#oneByOne || !this.#writer.sink.isFaulty(error)) throw error;
      for (const { record } of slice) this.#maker.drop("unstorable", record.row.request_id, messageOf(error));
      if (last) await this.#writer.commit([], [], this.#positions, Date.now());
    }
  }

  async #inFlightRows(): Promise<Prepared[]> {
    if (this.#rows !== undefined) return this.#rows;
    const rows: Prepared[] = [];
    for (const exchange of this.#inFlight) {
      const row = await this.#maker.prepareRow(exchange);
      if (row !== undefined) rows.push(row);
    }
    this.#maker.prepared();
    this.#rows = rows;
    return rows;
  }
}

/**
 * Bytes of memory that a record's contents take, and about how many of garbage they leave.
 *
 * @param seen - files of earlier records of the slice: a file that is sent again is in memory once.
 */
function sizeOf({ parts, assets }: Prepared, seen: Set<Uint8Array>): { bytes: number; garbage: number } {
  let [texts, files, again] = [0, 0, 0];
  for (const part of parts) {
    texts += lengthOfPart(part);
    for (const { length } of part.files ?? []) files += length;
  }
  texts -= files;
  for (const { bytes } of assets) {
    files += bytes.byteLength;
    if (seen.has(bytes)) again += bytes.byteLength;
    seen.add(bytes);
  }
  return { bytes: texts + files, garbage: texts * GARBAGE_OF_TEXT + files - again };
}
