import { join } from "node:path";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { RecordSink } from "../engine/record-sink.ts";
import { GatewayError } from "../errors.ts";
import { type Log, messageOf } from "../log.ts";
import type { Acting } from "../people/actor.ts";
import type { ShareClaim, ShareResult } from "../plugin-host/host/shares.ts";
import { BodyKey } from "../spool/body-key.ts";
import type { Position } from "../spool/frame.ts";
import { isBefore } from "../spool/position.ts";
import { ReadingNote } from "../spool/reading-note.ts";
import type { Database, Store } from "../store/store.ts";
import type { Arrival, ArrivalResult, RecorderStatus, RecordUpdate, Removal, UpdateResult } from "../threads.ts";
import { type Exchange, release } from "./exchanges/exchange.ts";
import { RecorderLosses } from "./losses.ts";
import { RecorderMetrics } from "./metrics.ts";
import { Pause } from "./pause.ts";
import { RecordNotes } from "./record-notes.ts";
import type { RecorderOptions } from "./recorder-options.ts";
import { Refusals } from "./refusals.ts";
import { type Shared, SharedWork } from "./shared-work.ts";
import { SpoolInput } from "./spool-input.ts";
import { type Batch, Batches } from "./write/record-batch.ts";
import { RecordWriter } from "./write/record-writer.ts";

/**
 * Milliseconds between two checks of the spool's end. A longer interval puts more records into a batch, which shares its
 * writes and pages, and writes more of a burst later; but a record must be visible one second after its end, and a batch
 * takes time too. Callers that wait for the spool to drain, as every query does, wake the recorder immediately.
 */
const POLL_MS = 400;
const SAVE_POSITION_MS = 1_000;
const WAIT_MS = 10_000;
/** Milliseconds after which a request that another node is forwarding has a row. */
const ELSEWHERE_MS = 1_200;
const ELSEWHERE_POLL_MS = 100;
const ID_WAIT_MS = 2_000;
const RETRY_MS = [50, 100, 250, 500, 1_000] as const;
/** How long a stopping recorder waits for plugins that read responses: each hook has 250 ms. */
const LAST_RESPONSES_MS = 2_000;
/** Tries of a stopping recorder for work that fails: the rest stays in the spool. */
const STOP_TRIES = 3;

/**
 * The loop of the recorder thread: read frames, assemble exchanges, write a batch, serve waiters.
 *
 * One batch is in memory at a time, whatever the lag: while the database refuses writes, the spool is not read further.
 */
export class Recorder {
  readonly ready: Promise<void>;
  readonly #options: RecorderOptions;
  readonly #log: Log;
  readonly #directory: string;
  readonly #metrics = new RecorderMetrics();
  readonly #refusals: Refusals;
  readonly #losses = new RecorderLosses();
  readonly #writer: RecordWriter;
  readonly #notes: RecordNotes;
  readonly #waiters = new SharedWork();
  readonly #pause = new Pause();
  readonly #opened = Promise.withResolvers<void>();
  #input: SpoolInput | undefined;
  #batches: Batches | undefined;
  #note: ReadingNote | undefined;
  #running: Promise<void> | undefined;
  #stopping = false;
  #recorded = 0;
  /** Rows up to this mark may belong to exchanges in flight that do not reappear; 0 once that is settled. */
  #inFlightUpTo = 0;
  /** Everything before this position is committed, except for exchanges in flight. */
  #committed: Position = { segment: 0, offset: 0 };
  #saved: Position = { segment: 0, offset: 0 };
  #savedAt = 0;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#log = options.log.with({ component: "recorder" });
    this.#notes = options.responses?.notes ?? new RecordNotes(options.log);
    this.#refusals = new Refusals(this.#log, this.#metrics);
    this.#directory = options.spoolDirectory ?? join(options.config.data_dir, "spool");
    this.#writer = new RecordWriter({
      config: options.config,
      wasThere: options.databaseWasThere,
      ofProviders: options.providerMappings,
    });
    this.ready = this.#opened.promise;
    this.ready.catch(() => {}); // waiting callers see the error; without one it must not become an unhandled rejection
  }

  start(): void {
    this.#running = this.#run();
  }

  async isKnownId(id: string): Promise<boolean> {
    await this.#caughtUp(ID_WAIT_MS, async () => {});
    return this.#input?.assembler.find(id) !== undefined || (await this.#writer.isKnownId(id));
  }

  async claimId(id: string): Promise<boolean> {
    await this.#caughtUp(ID_WAIT_MS, async () => {});
    return this.#input?.assembler.find(id) === undefined && this.#writer.sink.claim(id);
  }

  barrier(): Promise<void> {
    return this.#caughtUp(WAIT_MS, async () => {});
  }

  storeInFlight(): Promise<void> {
    return this.#caughtUp(WAIT_MS, async () => this.#batches?.storeInFlight(this.#input!.assembler.inFlight));
  }

  async update(change: RecordUpdate): Promise<UpdateResult> {
    await this.ready;
    const made = () => this.#whenReached((target) => this.#waiters.addTo(this.#updates, change, target, WAIT_MS));
    return this.#alsoElsewhere(made, (done) => done !== null);
  }

  /** An exchange in flight gets a row before it is changed. */
  readonly #updates: Shared<RecordUpdate, UpdateResult> = {
    max: () => this.#writer.sink.updatesTogether,
    work: async (changes) => {
      const find = (id: string) => this.#input?.assembler.find(id);
      await this.#batches?.storeInFlight(new Set(changes.flatMap(({ requestId }) => find(requestId) ?? [])));
      return this.#writer.update(changes, find, Date.now());
    },
  };

  /** Resolves once the words of everything now in the spool are in the index. */
  indexWords(): Promise<void> {
    return this.#caughtUp(WAIT_MS, () => this.#writer.sink.indexWords());
  }

  /** Like `between`, after the words of everything committed are in the index. */
  indexed<T>(work: (sink: RecordSink) => Promise<T>, when?: Removal["when"]): Promise<T> {
    return this.between(async (sink) => {
      await sink.indexWords();
      return work(sink);
    }, when);
  }

  /** Works on records between two batches: once everything now in the spool is committed, or between the next two. */
  between<T>(work: (sink: RecordSink, store: Store) => Promise<T>, when: Removal["when"] = "caught up"): Promise<T> {
    const until = when === "next" ? this.#committed : undefined;
    return this.#caughtUp(WAIT_MS, () => work(this.#writer.sink, this.#writer.store), until);
  }

  /**
   * Looks for records: immediately; then once everything now in the spool is committed; then a moment longer, if another
   * node may be writing the record.
   */
  async look<T>(work: (sink: RecordSink, store: Store) => Promise<T | undefined>): Promise<T | undefined> {
    await this.ready;
    const known = await work(this.#writer.sink, this.#writer.store);
    if (known !== undefined) return known;
    return this.#alsoElsewhere(
      () => this.between(work),
      (found) => found !== undefined,
    );
  }

  /** Tries again for a moment if another node may be writing the record. */
  async #alsoElsewhere<T>(attempt: () => Promise<T>, isFound: (result: T) => boolean): Promise<T> {
    for (const until = performance.now() + ELSEWHERE_MS; ; ) {
      const result = await attempt();
      if (isFound(result) || !this.#writer.isShared || performance.now() > until) return result;
      await sleep(ELSEWHERE_POLL_MS);
    }
  }

  /** Mappings, prices, webhooks and judges apply to every exchange read from now on. */
  relearn(): Promise<void> {
    return this.#caughtUp(WAIT_MS, () => this.#learn());
  }

  /** Works on data other than records, as soon as the database is open. */
  beside<T>(work: (database: Database) => Promise<T>): Promise<T> {
    return Promise.race([this.ready, this.#writer.opened]).then(() => work(this.#writer.store.records));
  }

  claimShares(claims: readonly ShareClaim[]): Promise<ShareResult> {
    return Promise.race([this.ready, this.#writer.opened]).then(() => this.#writer.claimShares(claims));
  }

  import(arrivals: readonly Arrival[], by: Acting): Promise<ArrivalResult[]> {
    const inFlight = (id: string) => this.#input?.assembler.find(id)?.begin.organization;
    return this.#caughtUp(WAIT_MS, () => this.#writer.import(arrivals, { inFlight, by, now: Date.now() }));
  }

  metricsText(): string {
    const lagBytes = this.#input?.lagBytes() ?? 0;
    return this.#metrics.text({
      lagBytes,
      bodiesBehind: this.#bodiesBehind,
      inFlight: this.#input?.assembler.inFlightCount ?? 0,
    });
  }

  async status(): Promise<RecorderStatus> {
    return {
      position: this.#committed,
      lagBytes: this.#input?.lagBytes() ?? 0,
      inFlight: this.#input?.assembler.inFlightCount ?? 0,
      recorded: this.#recorded,
      unread: this.#batches?.unread ?? 0,
      databaseError: this.#refusals.database,
      bodiesError: this.#refusals.bodies,
      bodiesBehindBytes: this.#bodiesBehind,
      losses: this.#losses.recent(),
    };
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#pause.end();
    await this.#running;
  }

  /** Runs `work` between two batches, once everything before `until`, or everything now in the spool, is committed. */
  async #caughtUp<T>(limitMs: number, work: () => Promise<T>, until?: Position): Promise<T> {
    await this.ready;
    return this.#whenReached((target) => this.#waiters.add(target, limitMs, work), until);
  }

  #whenReached<T>(wait: (target: Position) => Promise<T>, until?: Position): Promise<T> {
    const target = until ?? this.#input?.end();
    if (target === undefined || this.#running === undefined) {
      throw new GatewayError("database_unavailable", "the recorder has stopped");
    }
    const done = wait(target);
    this.#pause.end();
    return done;
  }

  async #run(): Promise<void> {
    try {
      await this.#untilItWorks(() => this.#open());
      this.#opened.resolve();
      for (let failures = 0; ; ) {
        const last = this.#stopping;
        const atEnd = await this.#cycle().catch(async (error) => {
          // Repeated failures must not keep the program from ending: the spool keeps the rest for the next start.
          if (last && ++failures >= STOP_TRIES) throw error;
          await this.#startOver(error);
        });
        if (last && atEnd) break;
        await (atEnd && !this.#stopping ? this.#pause.for(this.#waiters.size > 0 ? 1 : POLL_MS) : nextTurn());
      }
    } catch (error) {
      this.#opened.reject(error);
      if (!this.#stopping) this.#log.error("the recorder has stopped", { error: messageOf(error) });
    } finally {
      this.#running = undefined;
      await this.#lastResponses().catch(() => undefined); // an unreachable database accepts nothing more
      await this.#writer.close();
      this.#note?.close();
      this.#input?.close();
    }
  }

  async #open(): Promise<void> {
    await this.#writer.recover();
    await this.#learn();
    if (await this.#writer.sink.lacksBodies()) {
      this.#losses.note("bodies", "");
      this.#log.error("bodies.db is older than weir.db beside it: bodies of records are missing");
    }
    const input = await SpoolInput.open({
      directory: this.#directory,
      writer: this.#writer,
      log: this.#log,
      metrics: this.#metrics,
      losses: this.#losses,
      bodyBytesMax: this.#options.config.max_recorded_body_bytes,
    });
    this.#input = input;
    this.#committed = input.position;
    this.#inFlightUpTo = this.#writer.sink.mark;
    this.#note ??= new ReadingNote(this.#directory, this.#options.ended);
    this.#batches = new Batches({
      note: this.#note,
      spool: input,
      readExchange: this.#options.readExchange,
      provider: this.#options.provider,
      hooks: this.#options.hooks,
      responses: this.#options.responses,
      notes: this.#notes,
      learnt: this.#options.learnt,
      bodyKey: this.#options.bodyKey && new BodyKey(this.#options.bodyKey),
      bodyBytesMax: this.#options.config.max_recorded_body_bytes,
      writer: this.#writer,
      metrics: this.#metrics,
      losses: this.#losses,
      log: this.#log,
    });
  }

  async #learn(): Promise<void> {
    await this.#options.learnt?.load(this.#writer.store.records);
    await this.#writer.learn();
  }

  /** After an unreadable spool or an unexpected error, everything since the last commit is read again. */
  async #startOver(error: unknown): Promise<void> {
    this.#log.error("the recorder starts over from its last commit", { error: messageOf(error) });
    this.#input?.close();
    await this.#pause.for(RETRY_MS.at(-1)!);
    await this.#untilItWorks(() => this.#open());
  }

  /** One round: reads a batch, writes it, serves waiters. @returns whether the end of the spool was reached. */
  async #cycle(): Promise<boolean> {
    const waiting = this.#waiters.size;
    const [input, batches] = [this.#input!, this.#batches!];
    const { assembler } = input;
    const atEnd = input.read();
    const read = input.position;
    const done = assembler.takeDone();
    const inFlight = batches.due(assembler.inFlight);
    if (done.length > 0 || inFlight.length > 0 || this.#positionIsDue(read)) {
      const positions = { resume: assembler.neededFrom(read), read };
      const started = performance.now();
      const batch = batches.batch(done, inFlight, positions);
      const recorded = await this.#untilItWorks(() => batch.write(), done, batch);
      this.#recorded += recorded;
      this.#metrics.recorded.add(recorded);
      this.#metrics.batchSeconds.observe((performance.now() - started) / 1000);
      for (const exchange of done) release(exchange);
      this.#saved = read;
      this.#savedAt = performance.now();
      input.deleteBelow(positions.resume.segment);
    }
    this.#committed = read;
    await this.#notes.write(this.#writer.sink);
    await this.#endBeheaded(input);
    if (this.#writer.sink.wordsAreDue || (atEnd && this.#stopping))
      await this.#untilItWorks(() => this.#writer.sink.indexWords());
    await this.#waiters.settle(read, atEnd ? waiting : 0);
    return atEnd;
  }

  /**
   * Once per opening of the spool: ends rows in flight whose exchange did not reappear, because nothing else would end them.
   */
  async #endBeheaded({ assembler, position, readBefore }: SpoolInput): Promise<void> {
    const upTo = this.#inFlightUpTo;
    if (upTo === 0 || isBefore(position, readBefore)) return;
    const isInFlight = (id: string) => assembler.find(id) !== undefined;
    const ended = await this.#untilItWorks(() => this.#writer.sink.endBeheaded({ upTo, isInFlight, now: Date.now() }));
    for (const id of ended) {
      this.#losses.note("beheaded", "");
      this.#log.error("a request in flight lost its first frame; it is recorded as cut off", { request_id: id });
    }
    this.#inFlightUpTo = 0;
  }

  /** Shows the last records to plugins and stores what they add. */
  async #lastResponses(): Promise<void> {
    const { responses } = this.#options;
    await Promise.all([responses?.settled(LAST_RESPONSES_MS), this.#notes.settled(LAST_RESPONSES_MS)]);
    await this.#notes.write(this.#writer.sink);
  }

  /** The position alone is written from time to time, so that a restart need not reread long streams from far back. */
  #positionIsDue(read: Position): boolean {
    const moved = read.segment !== this.#saved.segment || read.offset !== this.#saved.offset;
    return moved && (this.#stopping || performance.now() - this.#savedAt > SAVE_POSITION_MS);
  }

  /**
   * Repeats `work` until the database accepts it. Until then no more is read, and the gateway keeps writing to the spool.
   *
   * @param done - exchanges that `work` writes: after a failure it is unknown which of them are stored.
   */
  async #untilItWorks<T>(work: () => Promise<T>, done: readonly Exchange[] = [], batch?: Batch): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      try {
        if (attempt > 0) await this.#writer.recover();
        const result = await work();
        this.#refusals.over(batch !== undefined);
        return result;
      } catch (error) {
        this.#refusals.note(error);
        for (const exchange of [...done, ...(this.#input?.assembler.inFlight ?? [])]) exchange.row = "unknown";
        if (this.#stopping && attempt >= STOP_TRIES) throw error;
        if (attempt >= 2) batch?.isolate(error);
        await this.#pause.for(RETRY_MS[Math.min(attempt, RETRY_MS.length - 1)]!);
      }
    }
  }

  /** Bytes of the spool that wait for the object store, including bytes that are read but not committed. */
  get #bodiesBehind(): number {
    return this.#refusals.bodies === null ? 0 : (this.#input?.lagBytes(this.#committed) ?? 0);
  }
}
