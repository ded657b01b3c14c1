import { type Log, messageOf } from "../../log.ts";
import type { RecordDraft } from "../../plugin-host/contract.ts";
import { TOGETHER_BYTES_MAX, together, withinLimit } from "../../plugin-host/hooks/time-limit.ts";
import { PROVIDER_UNKNOWN, providerOf } from "../../record/provider.ts";
import { collectGarbage } from "../../runtime/memory.ts";
import { NOTED_MAX, type ReadingNote, type Step } from "../../spool/reading-note.ts";
import { lengthOfPart } from "../../store/packs/request-content.ts";
import type { Positions } from "../../store/spool-positions.ts";
import type { UsedTokens } from "../../threads.ts";
import type { Exchange } from "../exchanges/exchange.ts";
import type { RecorderLosses } from "../losses.ts";
import type { DropReason, RecorderMetrics } from "../metrics.ts";
import { applyDraft, bodyTexts, type RecordHooks, storedDraft, toDraft } from "../prepare/hooks.ts";
import { prepare, prepareAtOnce, prepareBare } from "../prepare/prepare.ts";
import type { PrepareDeps, Prepared } from "../prepare/prepared.ts";
import { responseFacts } from "../prepare/response-facts.ts";
import { prepareUnread, unreadReason } from "../prepare/unread.ts";
import type { RecordNotes } from "../record-notes.ts";
import type { ResponseFeed } from "../response-feed.ts";
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

interface BatchesOptions extends Omit<PrepareDeps, "onReadingFailed"> {
  readonly hooks: RecordHooks | undefined;
  readonly responses: ResponseFeed | undefined;
  readonly notes: RecordNotes;
  readonly writer: RecordWriter;
  readonly metrics: RecorderMetrics;
  readonly losses: RecorderLosses;
  readonly note: ReadingNote;
  readonly log: Log;
}

/** A record as the log shows it: without its bodies, headers and path. */
function lineOf({ row, exchange: { begin, head } }: Prepared) {
  return {
    request_id: row.request_id,
    provider: providerOf(row),
    target: head?.target ?? begin.target,
    status: row.response_status,
    outcome: row.outcome,
    delay_ms: row.delay_ms,
    time_to_first_token: row.time_to_first_token,
  };
}

/** A record on its way into the database, with the draft that plugins saw. */
interface Ready {
  readonly record: Prepared;
  readonly draft: RecordDraft | undefined;
}

/** Makes records of exchanges and writes them. */
export class Batches {
  readonly #options: BatchesOptions;
  readonly #deps: PrepareDeps;
  /** Records since startup whose bodies were not read. */
  unread = 0;

  constructor(options: BatchesOptions) {
    const { log, metrics } = options;
    const failures = new Map<string, number>();
    this.#options = options;
    this.#deps = {
      ...options,
      onReadingFailed: (error, provider) => {
        metrics.readingFailures.add(1, { provider });
        const count = (failures.get(provider) ?? 0) + 1;
        failures.set(provider, count);
        // A function that fails for every exchange must not fill the disk with log lines.
        if (count > 10 && count % 1_000 !== 0) return;
        log.warn("an exchange could not be read completely", { provider, failures: count, error: messageOf(error) });
      },
    };
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
    return new Batch(this, this.#options, { done, inFlight, positions });
  }

  /** How many of the exchanges from `at` on are small enough to be read together. */
  together(done: readonly Exchange[], at: number): number {
    const { note } = this.#options;
    let bytes = 0;
    let count = 0;
    for (; count < NOTED_MAX && at + count < done.length; count++) {
      const { id, request, response, messages, provider } = done[at + count]!;
      bytes += request.bytes + response.bytes + (messages?.bytes ?? 0) + (provider?.bytes ?? 0);
      if (bytes > TOGETHER_BYTES_MAX || note.isSuspect(id)) break;
    }
    return count;
  }

  /**
   * Records of small exchanges, in order; undefined for one that must be prepared alone.
   *
   * @param now - milliseconds since 1970, the same for all that are written together: their rows then have more in common.
   */
  prepareTogether(exchanges: readonly Exchange[], now: number): readonly (Prepared | undefined)[] {
    this.#options.note.beginTogether(exchanges.map(({ id }) => id));
    const records: (Prepared | undefined)[] = [];
    together(() => {
      for (const exchange of exchanges) records.push(prepareAtOnce(exchange, this.#deps, now));
    });
    return records;
  }

  /** A finished record that no plugin sees. Most are, and they need no promise. */
  withoutPlugins(record: Prepared | undefined): Ready | undefined {
    return record === undefined || this.#options.hooks?.has("onRecord") ? undefined : { record, draft: undefined };
  }

  /** @param read - its record, if it already exists. */
  async prepareFinal(exchange: Exchange, read?: Prepared): Promise<Ready | undefined> {
    const { note, hooks } = this.#options;
    const fault = note.faultOf(exchange.id);
    const begin = (step: Step) => note.begin(exchange.id, step);
    if (read === undefined) begin(fault === undefined ? "read" : "raw");
    const record = read ?? (fault === undefined ? await this.#prepare(exchange) : await this.#aside(exchange, fault));
    // Plugins in which the process died are not called again.
    if (fault?.step === "plugins" || !hooks?.has("onRecord")) return { record, draft: undefined };
    begin("plugins");
    return this.#throughPlugins(record, hooks);
  }

  /** Preparation is over. */
  prepared(): void {
    this.#options.note.clear();
  }

  /** Prepared like a final record, so that a plugin that redacts records redacts this row too. */
  async prepareRow(exchange: Exchange): Promise<Prepared | undefined> {
    const { hooks, note } = this.#options;
    const record = prepareBare(exchange, Date.now());
    if (!hooks?.has("onRecord") || note.faultOf(exchange.id)?.step === "plugins") return record;
    note.begin(exchange.id, "plugins");
    const ready = await this.#throughPlugins(record, hooks);
    exchange.dropped = ready === undefined;
    return ready?.record;
  }

  async afterCommit(ready: readonly Ready[], recorded: readonly Prepared[]): Promise<void> {
    const { hooks, responses, notes, metrics, note, provider, log } = this.#options;
    if (note.hasFaults) note.settle([...recorded].map(({ row }) => row.request_id));
    const used: UsedTokens[] = [];
    for (const record of recorded) {
      const { row } = record;
      log.debug("recorded", lineOf(record));
      if (row.routed_model != null && row.completion_tokens != null)
        used.push({ requestId: row.request_id, outputTokens: row.completion_tokens });
      metrics.used.add(provider(providerOf(row))?.name ?? PROVIDER_UNKNOWN, row);
      if (row.unread != null) this.#noteUnread(row.request_id, row.unread);
    }
    responses?.reportUsed(used);
    if (!responses?.wanted && !hooks?.has("onRecorded")) return;
    const those = new Set(recorded);
    const stored = ready.filter(({ record }) => those.has(record));
    if (responses?.wanted) await this.#show(responses, stored);
    if (!hooks?.has("onRecorded")) return;
    for (const { record, draft } of stored) {
      const { request_id: requestId, organization_id: organizationId } = record.row;
      const lag = notes.addLater({ requestId, organizationId }, hooks.onRecorded(storedDraft(record, draft)));
      if (lag !== undefined) await lag;
    }
  }

  async #show(responses: ResponseFeed, stored: readonly Ready[]): Promise<void> {
    for (const { record, draft } of stored) {
      const lag = responses.add(responseFacts(record, draft));
      if (lag !== undefined) await lag;
    }
    responses.flush();
  }

  #noteUnread(id: string, reason: string): void {
    this.unread++;
    this.#options.metrics.unread.add(1, { reason: reason.slice(0, reason.indexOf(":")) });
    this.#options.log.error("a record's bodies are not read; `weir models reread` tries again", {
      request_id: id,
      reason,
    });
  }

  drop(reason: DropReason, id: string, error?: string): void {
    this.#options.metrics.dropped.add(1, { reason });
    if (reason === "plugin") return;
    this.#options.losses.note("unrecorded", reason);
    this.#options.log.error("an exchange has no record", { reason, request_id: id, error });
  }

  /** If reading the bodies fails or takes too long, they are stored as received. */
  async #prepare(exchange: Exchange): Promise<Prepared> {
    try {
      return await withinLimit((within) => prepare(exchange, this.#deps, Date.now(), within));
    } catch (error) {
      this.#deps.onReadingFailed(error, exchange.begin.provider);
      return this.#unread(exchange, unreadReason(error));
    }
  }

  /**
   * A body that ended the thread or process before is not read again; if it did so even on this path, the record has no
   * bodies.
   */
  async #aside(
    exchange: Exchange,
    { step, reason }: NonNullable<ReturnType<ReadingNote["faultOf"]>>,
  ): Promise<Prepared> {
    if (step !== "raw") return this.#unread(exchange, reason);
    const bare = prepareBare(exchange, Date.now());
    return { ...bare, row: { ...bare.row, unread: reason } };
  }

  async #unread(exchange: Exchange, reason: string): Promise<Prepared> {
    try {
      return await prepareUnread(exchange, reason, this.#deps, Date.now());
    } catch (error) {
      this.#deps.onReadingFailed(error, exchange.begin.provider);
      const bare = prepareBare(exchange, Date.now());
      return { ...bare, row: { ...bare.row, unread: reason } };
    }
  }

  async #throughPlugins(record: Prepared, hooks: RecordHooks): Promise<Ready | undefined> {
    const { log, metrics } = this.#options;
    const draft = toDraft(record);
    const before = bodyTexts(draft);
    if (!(await hooks.onRecord(draft, before))) return undefined;
    try {
      return { record: applyDraft(record, draft, before, this.#deps), draft };
    } catch (error) {
      // A draft that cannot be serialized, for example because it is circular.
      metrics.draftFailures.add();
      log.warn("what plugins made of a record cannot be stored; it is stored without", { error: messageOf(error) });
      return { record, draft };
    }
  }
}

interface BatchWork {
  readonly done: readonly Exchange[];
  readonly inFlight: readonly Exchange[];
  readonly positions: Positions | undefined;
}

/** One batch. `write` can be called again after it threw: it continues with what is not written yet. */
export class Batch {
  readonly #batches: Batches;
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

  constructor(batches: Batches, options: BatchesOptions, { done, inFlight, positions }: BatchWork) {
    this.#batches = batches;
    this.#writer = options.writer;
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
        const count = this.#batches.together(this.#done, this.#next);
        read =
          count > 1
            ? this.#batches.prepareTogether(this.#done.slice(this.#next, this.#next + count), now)
            : [undefined];
        at = 0;
      }
      const exchange = this.#done[this.#next++]!;
      const ready = this.#batches.withoutPlugins(read[at]) ?? (await this.#batches.prepareFinal(exchange, read[at]));
      if (ready === undefined) await this.#withdraw(exchange);
      else {
        slice.push(ready);
        const size = sizeOf(ready.record, seen);
        bytes += size.bytes;
        garbage += size.garbage;
      }
      if (this.#oneByOne) break;
    }
    this.#batches.prepared();
    this.#garbage = garbage;
    return slice;
  }

  async #withdraw(exchange: Exchange): Promise<void> {
    this.#batches.drop("plugin", exchange.id);
    if (exchange.row !== "none") await this.#writer.sink.withdraw(exchange.id);
  }

  async #commit(slice: readonly Ready[]): Promise<void> {
    const last = this.#next >= this.#done.length;
    const records = slice.map(({ record }) => record);
    const rows = last ? await this.#inFlightRows() : [];
    try {
      const result = await this.#writer.commit(records, rows, last ? this.#positions : undefined, Date.now());
      this.#recorded += result.recorded.length;
      for (const id of result.collisions) this.#batches.drop("id_taken", id);
      await this.#batches.afterCommit(slice, result.recorded);
    } catch (error) {
      if (!this.#oneByOne || !this.#writer.sink.isFaulty(error)) throw error;
      for (const { record } of slice) this.#batches.drop("unstorable", record.row.request_id, messageOf(error));
      if (last) await this.#writer.commit([], [], this.#positions, Date.now());
    }
  }

  async #inFlightRows(): Promise<Prepared[]> {
    if (this.#rows !== undefined) return this.#rows;
    const rows: Prepared[] = [];
    for (const exchange of this.#inFlight) {
      const row = await this.#batches.prepareRow(exchange);
      if (row !== undefined) rows.push(row);
    }
    this.#batches.prepared();
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
