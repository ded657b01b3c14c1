import { randomUUID } from "node:crypto";
import type { Config } from "../../config.ts";
import type { RequestUsage } from "../../plugin-host/contract.ts";
import { timeOfUuid } from "../../runtime/uuid.ts";
import { recorded } from "../../store/audit/recorded.ts";
import { forgetCalls } from "../../store/earlier-responses/call-states.ts";
import { claimId, ID_CLAIM_KEPT_MS } from "../../store/nodes/nodes.ts";
import { maintain } from "../../store/retention/maintain.ts";
import type { RemovalOrder } from "../../store/retention/remove-beside.ts";
import {
  type Places,
  type Positions,
  placesOf,
  readPositionOf,
  readPositions,
  setPosition,
  setPositions,
} from "../../store/spool-positions.ts";
import { localPath, type Store } from "../../store/store.ts";
import type { Arrival, Maintenance, RecordChange, RecordUpdate, ResponseName, UpdateResult } from "../../threads.ts";
import { putContents } from "../contents.ts";
import { statementsBeside } from "../control-statements.ts";
import { importAct, toStorable } from "../import.ts";
import type { BeheadedSearch, ImportOrder, KnownRow, RecordBatch, RecordSink, SinkOptions } from "../record-sink.ts";
import type { RecordKey } from "../record-source.ts";
import type { Storable } from "../storable.ts";
import type { ClickHouse } from "./client.ts";
import { COLUMN_TYPES } from "./columns.ts";
import { ClickHouseError } from "./failure.ts";
import { clickhouseOf, layoutOf } from "./open.ts";
import { type TableRow, toTableRow, withWhole } from "./rows.ts";
import { type Layout, makeTables } from "./tables.ts";
import { BatchFile, type NotedBatch } from "./write/batch-file.ts";
import { dropDays } from "./write/drop-days.ts";
import { EndedRows } from "./write/ended-rows.ts";
import { findResponseRow } from "./write/find-response.ts";
import { finishedRows, openRows, type RowKey } from "./write/find-rows.ts";
import { rereadLate } from "./write/late-readings.ts";
import { Removals } from "./write/remove.ts";
import { rewriteRows } from "./write/rewrite.ts";
import { takeOverChanges } from "./write/take-over.ts";
import { TEXT_COLUMNS } from "./write/texts.ts";
import { updateRows } from "./write/update.ts";
import { feedbackIdOf, updateRecords } from "./write/update-records.ts";

/** Each insert creates a part that must be merged: few large inserts cost less than many small ones. */
const RECORDS_TOGETHER = 20_000;
/** Maximum changes per statement. */
const UPDATES_TOGETHER = 500;
/** A body without a record for this long will never have one. */
const ORPHANED_MS = 86_400_000;
/** Versions of a row of `open`. */
const [IN_FLIGHT, ENDED] = [1, 2];
/** Error codes that a row itself causes: its values do not fit the table's columns. */
const FAULTY: ReadonlySet<number> = new Set([26, 27, 38, 41, 53, 70, 72, 117, 130, 131, 321, 349]);

/**
 * Records in ClickHouse, which has no transactions. A batch is stored in repeatable steps: bodies; a note of the batch in
 * `state/`; its rows, with a token; and then, in one transaction, everything that the libSQL database stores about them, the
 * positions, and a mark that the batch is done. `recover` repeats a batch without this mark.
 */
export class ClickHouseSink implements RecordSink {
  readonly isShared: boolean;
  readonly recordsTogether = RECORDS_TOGETHER;
  readonly updatesTogether = UPDATES_TOGETHER;
  readonly wordsAreDue = false;
  readonly #store: Store;
  readonly #config: Config;
  readonly #client: ClickHouse;
  readonly #layout: Layout;
  readonly #places: Places;
  readonly #file: BatchFile;
  readonly #removals: Removals;
  readonly #endedRows: EndedRows;
  #mark = 0;

  constructor({ store, config }: SinkOptions, client = clickhouseOf(config)) {
    this.#store = store;
    this.#config = config;
    this.isShared = localPath(config) === undefined;
    this.#client = client;
    this.#layout = layoutOf(config);
    this.#places = placesOf(config);
    this.#file = new BatchFile(config.data_dir);
    const dataDirectory = config.data_dir;
    const markName = `${this.#places.resume}:removal`;
    this.#removals = new Removals({ client, layout: this.#layout, store, dataDirectory, markName });
    this.#endedRows = new EndedRows(client, this.#layout);
  }

  /** Rows in flight up to this time may be from an earlier run. */
  get mark(): number {
    return this.#mark;
  }

  async recover(): Promise<readonly string[]> {
    await makeTables(this.#client, this.#layout);
    await this.#removals.recover();
    const noted = this.#file.read();
    const begun = noted === undefined || (await this.#isDone(noted)) ? undefined : noted;
    // The token may have expired by now, so existing rows are skipped.
    if (begun !== undefined)
      await this.#send(begun, new Set((await this.#finished(begun)).map(({ request_id }) => request_id)));
    this.#mark = Date.now();
    return begun?.requests.map(idOf) ?? [];
  }

  /** Bodies and records are always in different databases. */
  async lacksBodies(): Promise<boolean> {
    return false;
  }

  positions(): Promise<Positions | undefined> {
    return readPositions(this.#store.records, this.#places);
  }

  savePositions(positions: Positions, now: number): Promise<void> {
    return this.#store.records.batch(setPositions(this.#places, positions, now));
  }

  async known(ids: readonly string[]): Promise<ReadonlyMap<string, KnownRow>> {
    if (ids.length === 0) return new Map();
    type Row = RowKey & { readonly properties: object };
    const asKnown = (isFinal: boolean) => (row: Row) =>
      [
        row.request_id,
        {
          key: { requestId: row.request_id, createdAt: row.request_created_at },
          organizationId: row.organization_id,
          createdAt: row.request_created_at,
          isFinal,
          properties: JSON.stringify(row.properties),
        },
      ] as const;
    const open = await openRows<Row>(this.#client, ids, "properties");
    const finished = await finishedRows<Row>(this.#client, ids, "properties");
    return new Map([...open.map(asKnown(false)), ...finished.map(asKnown(true))]);
  }

  claim(id: string): Promise<boolean> {
    return claimId(this.#store.records, id);
  }

  isFaulty(error: unknown): boolean {
    return error instanceof ClickHouseError && FAULTY.has(error.code);
  }

  async commit(batch: RecordBatch): Promise<readonly RecordKey[]> {
    const { newIds, deliveries, positions, now } = batch;
    const completed = batch.completed.map(({ record }) => withLabels(record));
    const written = [...batch.fresh, ...completed];
    // Inputs and outputs are in the rows, masked.
    const contents = written.map((record) => ({ ...record, excerpts: undefined }));
    await putContents(this.#store.content, contents, { newIds });
    const isOpen = ({ row }: Storable) => (row.response_status ?? null) === null;
    await this.#write(
      {
        requests: [...batch.fresh.filter((record) => !isOpen(record)), ...completed].map((each) => this.#rowOf(each)),
        open: [
          ...(this.#config.records_open_rows ? batch.fresh.filter(isOpen).map((each) => this.#openRowOf(each)) : []),
          ...completed.map(({ row }) => endedRow(row)),
        ],
        relabelled: batch.completed.flatMap(({ record, relabelled }) => (relabelled ? record.row.request_id : [])),
        statements: [
          ...statementsBeside(written, now),
          ...rereadLate(written, randomUUID()),
          ...deliveries,
          ...(positions === undefined ? [] : setPositions(this.#places, positions, now)),
        ],
      },
      now,
    );
    return batch.fresh.map(({ row }) => ({ requestId: row.request_id, createdAt: row.request_created_at }));
  }

  async import(arrivals: readonly Arrival[], { by, now, deliveries }: ImportOrder): Promise<void> {
    if (arrivals.length === 0) return;
    const records = arrivals.map((arrival) => toStorable(arrival, feedbackIdOf(arrival.row.request_id)));
    await putContents(this.#store.content, records);
    const requests = records.map((record) => this.#rowOf(record));
    const statements = [...statementsBeside(records, now), ...deliveries];
    await this.#write({ requests, open: [], relabelled: [], statements }, now);
    await recorded(this.#store.records, [], by, importAct(arrivals));
  }

  async withdraw(id: string): Promise<void> {
    const rows = await openRows(this.#client, [id]);
    await this.#client.insert("open", rows.map(endedRow));
  }

  async endBeheaded({ upTo, isInFlight, now }: BeheadedSearch): Promise<string[]> {
    // With several nodes it is unknown which one a row belongs to, so only rows too old to be in flight are ended.
    const before = this.isShared ? Math.min(upTo, now - ID_CLAIM_KEPT_MS) : upTo;
    const columns = Object.keys(COLUMN_TYPES).join(", ");
    const rows = await this.#client.query<TableRow & RowKey>(
      `select ${columns} from open final where is_ended = 0 and request_created_at < ${before}`,
    );
    const lost = rows.filter(({ request_id }) => !isInFlight(request_id));
    if (lost.length === 0) return [];
    const ids = lost.map(({ request_id }) => request_id);
    const finished = new Set((await finishedRows(this.#client, ids)).map(({ request_id }) => request_id));
    const end = { response_status: 500, outcome: "cut_off", truncated: 1, updated_at: now };
    const requests = lost.filter(({ request_id }) => !finished.has(request_id)).map((row) => ({ ...row, ...end }));
    await this.#write({ requests, open: lost.map(endedRow), relabelled: [], statements: [] }, now);
    return requests.map(({ request_id }) => request_id);
  }

  update(changes: readonly RecordUpdate[], now: number): Promise<readonly UpdateResult[]> {
    return updateRecords({ client: this.#client, layout: this.#layout, database: this.#store.records }, changes, now);
  }

  rewrite(changes: readonly RecordChange[], now: number): Promise<number> {
    const [client, layout, store] = [this.#client, this.#layout, this.#store];
    return rewriteRows({ client, layout, store, keepsTexts: this.#config.records_search_texts }, changes, now);
  }

  remove(organizationId: string, requestIds: readonly string[], order?: RemovalOrder): Promise<number> {
    return this.#removals.remove(organizationId, requestIds, order);
  }

  async maintain(task: Maintenance): Promise<number> {
    if (task.kind === "bodies") return this.#removeBodies(task.organizationId, task.requestIds);
    if (task.kind === "orphans") return this.#removeOrphans(task.requestIds);
    if (task.kind === "days") return dropDays(this.#client, this.#layout, task.days);
    if (task.kind === "beside") return this.#removals.removeBeside(task.requestIds);
    // Daily sums, words and kinds exist only for records in the libSQL database.
    if (task.kind === "count" || task.kind === "lost words" || task.kind === "kinds") return 0;
    return maintain(this.#store, task);
  }

  /** Texts are columns: there is no word index. */
  async indexWords(): Promise<void> {}

  async usageOf(requestIds: readonly string[]): Promise<readonly RequestUsage[]> {
    type Row = RowKey & { readonly cost: number | null; readonly total_tokens: number | null };
    const rows = await finishedRows<Row>(this.#client, requestIds, "cost, total_tokens");
    return rows.map(({ request_id: requestId, cost, total_tokens: totalTokens }) => ({ requestId, cost, totalTokens }));
  }

  responseOf({ organizationId, responseId }: ResponseName) {
    return findResponseRow(this.#client, organizationId, responseId);
  }

  async isWhole(requestId: string): Promise<boolean> {
    type Row = { readonly truncated: number; readonly response_status: number };
    const [row] = await finishedRows<Row>(this.#client, [requestId], "truncated, response_status");
    return row !== undefined && row.truncated === 0 && row.response_status >= 200 && row.response_status < 300;
  }

  /** Stores rows and statements exactly once, even when repeated. */
  async #write(batch: Omit<NotedBatch, "token" | "mark">, now: number): Promise<void> {
    if (batch.requests.length + batch.open.length === 0) {
      if (batch.statements.length > 0) await this.#store.records.batch(batch.statements);
      return;
    }
    const id = randomUUID();
    const noted = {
      ...batch,
      token: `${this.#places.resume}:${id}`,
      mark: { segment: now, offset: Number.parseInt(id.slice(0, 8), 16) },
    };
    this.#file.write(noted);
    await this.#send(noted);
  }

  /** @param there - ids of rows that must not be inserted. */
  async #send(batch: NotedBatch, there: ReadonlySet<unknown> = new Set()): Promise<void> {
    const { token, mark, requests, open, relabelled, statements } = batch;
    const settings = { insert_deduplication_token: token };
    const [client, layout] = [this.#client, this.#layout];
    try {
      // Finished rows first, so that a record is always in at least one of the tables.
      const missing = there.size === 0 ? requests : requests.filter((row) => !there.has(idOf(row)));
      await client.insert("requests", missing.map(withWhole), { settings });
      const ended = new Set(open.flatMap((row) => (row["is_ended"] === 1 ? idOf(row) : [])));
      const completed = requests.filter((row) => ended.has(idOf(row)));
      await takeOverChanges({ client, layout }, completed, new Set(relabelled));
      await client.insert("open", open, { settings });
      this.#endedRows.add(ended.size);
    } catch (error) {
      // A batch that is rejected permanently must not be sent again at each start: none of it was stored.
      if (this.isFaulty(error)) this.#file.write(undefined);
      throw error;
    }
    await this.#store.records.batch([...statements, setPosition(this.#markName, mark, mark.segment)]);
  }

  #finished({ requests }: NotedBatch): Promise<RowKey[]> {
    return finishedRows(this.#client, requests.map(idOf));
  }

  async #isDone({ mark }: NotedBatch): Promise<boolean> {
    const stored = await readPositionOf(this.#store.records, this.#markName);
    return stored !== undefined && stored.segment === mark.segment && stored.offset === mark.offset;
  }

  get #markName(): string {
    return `${this.#places.resume}:batch`;
  }

  async #ownRows(organizationId: string, requestIds: readonly string[]): Promise<RowKey[]> {
    const rows = await finishedRows(this.#client, requestIds);
    return rows.filter(({ organization_id }) => organization_id === organizationId);
  }

  async #removeBodies(organizationId: string, requestIds: readonly string[]): Promise<number> {
    const rows = await this.#ownRows(organizationId, requestIds);
    if (rows.length === 0) return 0;
    const ids = rows.map(({ request_id }) => request_id);
    const texts = ["input", "output", ...TEXT_COLUMNS];
    const set = { assets: "[]", ...Object.fromEntries(texts.map((name) => [name, "null"])) };
    const updates = rows.map((key) => ({ key, set }));
    await updateRows(this.#client, { table: "requests", layout: this.#layout }, updates);
    await this.#store.records.batch([forgetCalls(JSON.stringify(ids))]);
    await this.#store.content.remove(ids);
    return rows.length;
  }

  async #removeOrphans(requestIds: readonly string[]): Promise<number> {
    const settled = requestIds.filter((id) => this.#isSettled(id));
    const known = await this.known(settled);
    const orphans = settled.filter((id) => !known.has(id));
    if (orphans.length > 0) await this.#store.content.remove(orphans);
    return orphans.length;
  }

  /** Another node may have stored a body before it can store the record. */
  #isSettled(id: string): boolean {
    const madeAt = timeOfUuid(id);
    return !this.isShared || (madeAt !== undefined && madeAt < Date.now() - ORPHANED_MS);
  }

  #rowOf(record: Storable): TableRow {
    return toTableRow(record, { keepsTexts: this.#config.records_search_texts });
  }

  #openRowOf(record: Storable): TableRow {
    return { ...this.#rowOf(record), version: IN_FLIGHT, is_ended: 0 };
  }
}

const idOf = (row: TableRow) => String(row["request_id"]);

/** A row of `open` that replaces the one in flight. */
function endedRow({ organization_id, request_id, request_created_at }: RowKey): TableRow {
  return { organization_id, request_id, request_created_at, version: ENDED, is_ended: 1 };
}

/** A record that was in flight may have other properties than its client sent: only the row has them. */
function withLabels(record: Storable): Storable {
  const properties = JSON.parse(record.row.properties ?? "{}") as Record<string, string>;
  return { ...record, labels: { ...record.labels, properties } };
}
