import type { Config } from "../config.ts";
import type { Acting } from "../people/actor.ts";
import type { RequestUsage } from "../plugin-host/contract.ts";
import type { MappingsOfProviders } from "../store/bodies/body-text.ts";
import type { RemovalOrder } from "../store/retention/remove.ts";
import type { Positions } from "../store/spool-positions.ts";
import type { Statement, Store } from "../store/store.ts";
import type { AnswerName, Arrival, Maintenance, RecordChange, RecordUpdate, UpdateResult } from "../threads.ts";
import type { EarlierAnswer } from "../unified/earlier-answer.ts";
import type { RecordKey } from "./record-source.ts";
import type { Storable } from "./storable.ts";

/** A stored record, as far as it decides what is to be done with an exchange of its id. */
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

/** A record that is stored as in flight and ends now. */
export interface Completion<Record extends Storable = Storable> {
  readonly record: Record;
  readonly key: RecordKey;
  /** Its properties are other ones than those that its row has. */
  readonly relabelled: boolean;
}

/** What is written together. */
export interface RecordBatch {
  /** Records that are not stored yet, finished or in flight. */
  readonly fresh: readonly Storable[];
  readonly completed: readonly Completion[];
  /** Requests of which nothing can be stored yet, not even bodies. */
  readonly newIds: ReadonlySet<string>;
  /** What these records are delivered to: webhooks and judges. What is there already stays. */
  readonly deliveries: readonly Statement[];
  /** Missing for a part of a batch: it is then not known yet that all before was written. */
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

/** Rows in flight of which nothing is known any more. */
export interface BeheadedSearch {
  /** A `mark` of before; rows that came later are passed over. */
  readonly upTo: number;
  readonly isInFlight: (id: string) => boolean;
  readonly now: number;
}

/**
 * Writes records. Each node has one, which one thread calls, a call after the other.
 *
 * What a spool holds is handed over at least once and stored exactly once. After a call that threw it is not known what
 * was stored: `recover` comes before the next one, and what is written again was looked for with `known`.
 */
export interface RecordSink {
  /** Whether other nodes write into the same store. */
  readonly isShared: boolean;
  /** Grows with the records that are stored. */
  readonly mark: number;
  /** Brings the tables up to date and ends what a commit before has begun. @returns ids of records that it has stored so. */
  recover(): Promise<readonly string[]>;
  /** Whether bodies are missing of records that are there. */
  lacksBodies(): Promise<boolean>;

  /** Undefined where nothing was ever committed. */
  positions(): Promise<Positions | undefined>;
  /** Writes only how far the spool is read. */
  savePositions(positions: Positions, now: number): Promise<void>;
  /** Those of some ids that are stored, finished or in flight. */
  known(ids: readonly string[]): Promise<ReadonlyMap<string, KnownRow>>;
  /** Takes an id that a client chose. @returns false where it is another request's. */
  claim(id: string): Promise<boolean>;
  /** Stores bodies, records, what is counted with them, and the positions, in this order. @returns keys of `fresh`. */
  commit(batch: RecordBatch): Promise<readonly RecordKey[]>;
  /** Whether an error is a record's own fault: it would be refused whenever it came. */
  isFaulty(error: unknown): boolean;
  /** Stores records that come from outside, all of one organization, whose ids are not taken. */
  import(arrivals: readonly Arrival[], order: ImportOrder): Promise<void>;
  /** Takes out a record in flight. */
  withdraw(id: string): Promise<void>;
  /** Ends rows in flight whose exchange is nowhere, as cut off. @returns their ids. */
  endBeheaded(search: BeheadedSearch): Promise<string[]>;

  /** How many records are handed over together at most, by a recorder that lags. */
  readonly recordsTogether: number;
  /** How many changes are best handed over together. */
  readonly updatesTogether: number;
  /**
   * Changes records, also those in flight. Names are merged by the store: changes of one record through several nodes are
   * all kept.
   *
   * @returns what each record holds afterwards; null where its organization has no such record.
   */
  update(changes: readonly RecordUpdate[], now: number): Promise<readonly UpdateResult[]>;
  /** Changes what was read of finished records. @returns how many of them there still were. */
  rewrite(changes: readonly RecordChange[], now: number): Promise<number>;
  /** Deletes finished records with all that belongs to them. @returns how many there were. */
  remove(organizationId: string, requestIds: readonly string[], order?: RemovalOrder): Promise<number>;
  /** One small step that frees space. @returns what `store/retention/maintain.ts` says. */
  maintain(task: Maintenance): Promise<number>;

  /** Whether words of records have waited long enough for the index. */
  readonly wordsAreDue: boolean;
  /** Puts all words into the index that are not there yet. */
  indexWords(): Promise<void>;

  /** What these exchanges used, of those that have ended. */
  usageOf(requestIds: readonly string[]): Promise<readonly RequestUsage[]>;
  /** Who made a response. */
  answerOf(answer: AnswerName): Promise<EarlierAnswer | undefined>;
  /** Whether a record's bodies are the whole of a response that succeeded. */
  isWhole(requestId: string): Promise<boolean>;
}

export interface SinkOptions {
  /** Open for writing, its tables up to date. */
  readonly store: Store;
  readonly config: Config;
  /** The mappings that providers have in their files. */
  readonly ofProviders?: MappingsOfProviders | undefined;
}
