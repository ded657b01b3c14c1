import type { Config } from "../../config.ts";
import { GatewayError } from "../../errors.ts";
import { messageOf } from "../../log.ts";
import { recorded } from "../../store/audit/recorded.ts";
import { identify } from "../../store/database/file-identity.ts";
import { bodiesPath } from "../../store/database/local.ts";
import { claimId, takeNumbers } from "../../store/nodes/nodes.ts";
import { lacksBodies, pairingStatements } from "../../store/pairing.ts";
import { maintain } from "../../store/retention/maintain.ts";
import type { RemovalOrder } from "../../store/retention/remove-beside.ts";
import { type Places, type Positions, placesOf, readPositions, setPositions } from "../../store/spool-positions.ts";
import { localPath, type Statement, type Store } from "../../store/store.ts";
import type { Arrival, Maintenance, RecordChange, RecordUpdate, ResponseName, UpdateResult } from "../../threads.ts";
import { putContents } from "../contents.ts";
import { importAct, toStorable } from "../import.ts";
import type { BeheadedSearch, ImportOrder, RecordBatch, RecordSink, SinkOptions } from "../record-sink.ts";
import type { RecordKey } from "../record-source.ts";
import type { Storable } from "../storable.ts";
import { keyOf, seqsOf } from "./find/found-row.ts";
import { endBeheaded } from "./write/beheaded.ts";
import { findResponse, isWhole } from "./write/find-response.ts";
import { type RowBatch, recordStatements } from "./write/insert.ts";
import { Kinds } from "./write/kinds.ts";
import { knownRows } from "./write/known-rows.ts";
import { withPlacedExcerpts } from "./write/pack-excerpts.ts";
import { removeRecords } from "./write/remove.ts";
import { rewriteRecords } from "./write/rewrite.ts";
import { TimePartitions } from "./write/time-partitions.ts";
import { updateRecord } from "./write/update-record.ts";
import { usageOf } from "./write/usage.ts";
import { WordIndex } from "./write/word-index.ts";

/** SQLite's errors for a row that can never be stored. */
const FAULTY_ROW = /SQLITE_(?:CONSTRAINT|TOOBIG|MISMATCH|RANGE)|cannot be stored/;

/** An index page that several records of a batch share is written once for all of them. */
const RECORDS_TOGETHER = 2_000;

/**
 * Records in a libSQL database: rows, properties, what is counted with them, and the positions are written in one
 * transaction.
 */
export class LibsqlSink implements RecordSink {
  readonly isShared: boolean;
  readonly recordsTogether = RECORDS_TOGETHER;
  /** Each change is a transaction of its own. */
  readonly updatesTogether = 1;
  readonly #store: Store;
  readonly #config: Config;
  readonly #places: Places;
  readonly #kinds = new Kinds();
  readonly #words: WordIndex;
  readonly #partitions = new TimePartitions();
  #nextSeq = 1;

  constructor({ store, config, ofProviders = async () => ({}) }: SinkOptions) {
    this.#store = store;
    this.#config = config;
    this.isShared = localPath(config) === undefined;
    this.#places = placesOf(config);
    this.#words = new WordIndex({
      isShared: this.isShared,
      isOn: config.search_index !== "no",
      hasObjects: config.bodies_url !== "",
      ofProviders,
    });
  }

  /** The highest row number in use. */
  get mark(): number {
    return this.#nextSeq - 1;
  }

  get wordsAreDue(): boolean {
    return this.#words.isDue;
  }

  /** Reads the next `seq`: a commit either succeeded completely or not at all. */
  async recover(): Promise<readonly string[]> {
    const [row] = await this.#store.records.query<{ last: number }>({
      sql: `select max(coalesce((select max(seq) from requests), 0),
        coalesce((select seq from sqlite_sequence where name = 'requests'), 0)) as last`,
      args: [],
    });
    this.#nextSeq = (row?.last ?? 0) + 1;
    await this.#partitions.load(this.#store.records);
    await this.#words.fillDue(this.#store);
    return [];
  }

  /** Whether `bodies.db` is older than the records' file. */
  async lacksBodies(): Promise<boolean> {
    return !this.isShared && (await lacksBodies(this.#store));
  }

  positions(): Promise<Positions | undefined> {
    return readPositions(this.#store.records, this.#places);
  }

  savePositions(positions: Positions, now: number): Promise<void> {
    return this.#store.records.batch(setPositions(this.#places, positions, now));
  }

  known(ids: readonly string[]) {
    return knownRows(this.#store.records, ids);
  }

  /** In a local database the id is only looked up: the caller remembers it. */
  async claim(id: string): Promise<boolean> {
    if ((await this.known([id])).size > 0) return false;
    return !this.isShared || claimId(this.#store.records, id);
  }

  isFaulty(error: unknown): boolean {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    return FAULTY_ROW.test(`${code} ${messageOf(error)}`);
  }

  async commit({ newIds, deliveries, positions, now, ...batch }: RecordBatch): Promise<readonly RecordKey[]> {
    const { records, content } = this.#store;
    const files = this.#identity();
    await this.#takeNumbers(batch.fresh.length);
    const fresh = batch.fresh.map((record) => ({ record: this.#asWritten(record), seq: this.#nextSeq++ }));
    const completed = batch.completed.map(({ record, key, relabelled }) => {
      return { record: this.#asWritten(record), seq: seqsOf([key])![0]!, relabelled };
    });
    const all = [...fresh, ...completed];
    const written = all.map(({ record }) => record);
    const hasBodies = written.some(({ parts }) => parts.length > 0);
    const pairing = hasBodies && !this.isShared ? pairingStatements(this.mark, now) : undefined;
    const words = this.#words.plan(all);
    const beside = pairing === undefined ? words.statements : [...words.statements, pairing.bodies];
    await putContents(content, written, { beside, newIds });
    const statements = await this.#statements({
      fresh,
      completed,
      deliveries,
      now,
      positions: positions === undefined ? [] : setPositions(this.#places, positions, now),
    });
    if (pairing !== undefined) statements.push(pairing.records);
    if (statements.length > 0) await records.batch(statements);
    // Writes into a file that was replaced meanwhile are lost and must be repeated.
    if (this.#identity() !== files) throw new GatewayError("database_unavailable", "a database file was replaced");
    words.done();
    return fresh.map(({ record: { row }, seq }) =>
      keyOf({ seq, request_id: row.request_id, created: row.request_created_at }),
    );
  }

  async import(arrivals: readonly Arrival[], { by, now, deliveries }: ImportOrder) {
    if (arrivals.length === 0) return;
    await this.#takeNumbers(arrivals.length);
    const fresh = arrivals.map((arrival) => {
      const seq = this.#nextSeq++;
      return { record: this.#asWritten(toStorable(arrival, seq)), seq };
    });
    const words = this.#words.plan(fresh);
    const contents = fresh.map(({ record }) => record);
    await putContents(this.#store.content, contents, { beside: words.statements });
    const statements = await this.#statements({ fresh, completed: [], positions: [], deliveries, now });
    await recorded(this.#store.records, statements, by, importAct(arrivals));
    words.done();
  }

  withdraw(id: string): Promise<void> {
    const statements: Statement[] = [
      {
        sql: `delete from properties where seq in
          (select seq from requests where request_id = ? and response_status is null)`,
        args: [id],
      },
      { sql: "delete from requests where request_id = ? and response_status is null", args: [id] },
    ];
    return this.#store.records.batch(statements);
  }

  endBeheaded({ upTo, ...search }: BeheadedSearch): Promise<string[]> {
    return endBeheaded(this.#store.records, { ...search, upToSeq: upTo, isShared: this.isShared });
  }

  async update(changes: readonly RecordUpdate[], now: number): Promise<readonly UpdateResult[]> {
    const results: UpdateResult[] = [];
    for (const change of changes) results.push(await updateRecord(this.#store.records, change, now));
    return results;
  }

  rewrite(changes: readonly RecordChange[], now: number): Promise<number> {
    return rewriteRecords(this.#store, changes, { config: this.#config, now });
  }

  remove(organizationId: string, requestIds: readonly string[], order?: RemovalOrder): Promise<number> {
    return removeRecords(this.#store, organizationId, requestIds, order);
  }

  maintain(task: Maintenance): Promise<number> {
    return maintain(this.#store, task);
  }

  indexWords(): Promise<void> {
    return this.#words.fill(this.#store);
  }

  usageOf(requestIds: readonly string[]) {
    return usageOf(this.#store.records, requestIds);
  }

  responseOf({ organizationId, responseId }: ResponseName) {
    return findResponse(this.#store.records, organizationId, responseId);
  }

  isWhole(requestId: string): Promise<boolean> {
    return isWhole(this.#store.records, requestId);
  }

  /** The transaction of records, with the partitions of time that begin with it. */
  async #statements(batch: Omit<RowBatch, "kinds" | "partitions">): Promise<Statement[]> {
    const grown = this.isShared ? [] : await this.#partitions.grow(this.#store.records, batch.now);
    return [...grown, ...recordStatements({ ...batch, kinds: this.#kinds, partitions: this.#partitions })];
  }

  /** The record with its input and output where this store keeps them. */
  #asWritten(record: Storable): Storable {
    return withPlacedExcerpts(record, this.#store.content.isNear);
  }

  /** Reserves row numbers that no other node uses; some may stay unused. */
  async #takeNumbers(count: number): Promise<void> {
    if (this.isShared && count > 0) this.#nextSeq = await takeNumbers(this.#store.records, count);
  }

  /** Changes when one of the files is replaced. */
  #identity(): string {
    const path = localPath(this.#config);
    return path === undefined ? "" : [path, bodiesPath(path)].map(identify).join(" ");
  }
}
