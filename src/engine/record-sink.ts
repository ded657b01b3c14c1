import type { Config } from "../config.ts";
import type { Acting } from "../people/actor.ts";
import type { RequestUsage } from "../plugin-host/contract.ts";
import type { MappingsOfProviders } from "../store/bodies/body-text.ts";
import type { RemovalOrder } from "../store/retention/remove-beside.ts";
import type { Positions } from "../store/spool-positions.ts";
import type { Statement, Store } from "../store/store.ts";
import type { Arrival, Maintenance, RecordChange, RecordUpdate, ResponseName, UpdateResult } from "../threads.ts";
import type { EarlierResponse } from "../unified/earlier-response.ts";
import type { RecordKey } from "./record-source.ts";
import type { Storable } from "./storable.ts";

/** The fields of a stored record that decide what happens with another exchange of its id. */
export interface KnownRow {
  readonly key: RecordKey;
  readonly organizationId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** False while it is in flight. */
  readonly isFinal: boolean;
  /** JSON object of name to value. */
  readonly properties: string;
}

/** The end of a record that is stored as in flight. */
export interface Completion<Record extends Storable = Storable> {
  readonly record: Record;
  readonly key: RecordKey;
  /** Whether its properties differ from those in its row. */
  readonly relabelled: boolean;
}

/** Records that are written together. */
export interface RecordBatch {
  /** Records that are not stored yet, finished or in flight. */
  readonly fresh: readonly Storable[];
  readonly completed: readonly Completion[];
  /** Requests that cannot have anything stored yet, not even bodies. */
  readonly newIds: ReadonlySet<string>;
  /** Statements that enqueue these records for webhooks and judges. Existing entries stay as they are. */
  readonly deliveries: readonly Statement[];
  /** Missing for a part of a batch, when earlier records may not have been written yet. */
  readonly positions: Positions | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface ImportOrder {
  readonly by: Acting;
  readonly now: number;
  /** As in a batch. */
  readonly deliveries: readonly Statement[];
}

/** Finds records in flight whose exchange is lost. */
export interface BeheadedSearch {
  /** An earlier `mark`; records stored later are skipped. */
  readonly upTo: number;
  readonly isInFlight: (id: string) => boolean;
  readonly now: number;
}

/**
 * Writes records. Each node has one, and one thread calls it, one call at a time.
 *
 * The records of a spool are passed at least once and stored exactly once. When a call throws, it is unknown what was stored:
 * call `recover` before the next one, and check records with `known` before writing them again.
 */
export interface RecordSink {
  /** Whether other nodes write to the same store. */
  readonly isShared: boolean;
  /** Increases as records are stored. */
  readonly mark: number;
  /** Migrates the tables and completes an interrupted commit. @returns ids of the records that this stored. */
  recover(): Promise<readonly string[]>;
  /** Whether bodies of existing records are missing. */
  lacksBodies(): Promise<boolean>;

  /** Undefined when nothing was ever committed. */
  positions(): Promise<Positions | undefined>;
  /** Stores only the spool's positions. */
  savePositions(positions: Positions, now: number): Promise<void>;
  /** Those of these ids that are stored, finished or in flight. */
  known(ids: readonly string[]): Promise<ReadonlyMap<string, KnownRow>>;
  /** Reserves an id that a client chose. @returns false when another request has it. */
  claim(id: string): Promise<boolean>;
  /** Stores bodies, records, what is counted with them, and the positions, in this order. @returns keys of `fresh`. */
  commit(batch: RecordBatch): Promise<readonly RecordKey[]>;
  /** Whether an error is caused by the record itself: retrying would fail again. */
  isFaulty(error: unknown): boolean;
  /** Stores imported records of one organization, whose ids are free. */
  import(arrivals: readonly Arrival[], order: ImportOrder): Promise<void>;
  /** Removes a record in flight. */
  withdraw(id: string): Promise<void>;
  /** Ends records in flight whose exchange is lost, as cut off. @returns their ids. */
  endBeheaded(search: BeheadedSearch): Promise<string[]>;

  /** Maximum number of records per call, used by a recorder that lags. */
  readonly recordsTogether: number;
  /** Preferred number of changes per call. */
  readonly updatesTogether: number;
  /**
   * Changes records, including those in flight. The store merges names: changes of one record through several nodes are all
   * kept.
   *
   * @returns the state of each record after the change; null when its organization has no such record.
   */
  update(changes: readonly RecordUpdate[], now: number): Promise<readonly UpdateResult[]>;
  /** Changes the data extracted from finished records. @returns how many of them still existed. */
  rewrite(changes: readonly RecordChange[], now: number): Promise<number>;
  /** Deletes finished records with everything that belongs to them. @returns number of deleted records. */
  remove(organizationId: string, requestIds: readonly string[], order?: RemovalOrder): Promise<number>;
  /** One small step that frees space. @returns as described in `store/retention/maintain.ts`. */
  maintain(task: Maintenance): Promise<number>;

  /** Whether words of records have waited long enough to be indexed. */
  readonly wordsAreDue: boolean;
  /** Indexes all pending words, except for those whose bodies are away with an object store. */
  indexWords(): Promise<void>;

  /** Usage of those of these exchanges that have ended. */
  usageOf(requestIds: readonly string[]): Promise<readonly RequestUsage[]>;
  /** Finds the credential and the request that made a response. */
  responseOf(name: ResponseName): Promise<EarlierResponse | undefined>;
  /** Whether a record's bodies contain the complete response of a successful request. */
  isWhole(requestId: string): Promise<boolean>;
}

export interface SinkOptions {
  /** Open for writing and migrated. */
  readonly store: Store;
  readonly config: Config;
  /** Mappings from the providers' files. */
  readonly ofProviders?: MappingsOfProviders | undefined;
}
