import type { Deadline } from "../store/database/deadline.ts";

/** A stored property of a record. */
export interface StoredProperty {
  readonly name: string;
  readonly value: string;
  /** 1 when the name arrived without its original case. */
  readonly case_erased: number;
}

/** Position of a record among those of its organization, oldest first. */
export interface Age {
  readonly requestId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

export interface AgedRecord extends Age {
  /** Empty unless requested. */
  readonly properties: readonly StoredProperty[];
}

export interface AgePage {
  readonly organizationId: string;
  /** Only records created before this time. */
  readonly before: number;
  readonly after: Age | undefined;
  readonly limit: number;
  readonly withProperties: boolean;
}

/** A UTC day, counted from 1970, and the organizations with records of that day. */
export interface AgedDay {
  readonly day: number;
  readonly organizationIds: readonly string[];
  readonly records: number;
}

/** Tests whether a record has a property; a null value matches any. */
export interface PropertyTest {
  readonly property: string;
  readonly value: string | null;
}

/** Records of an organization and a day that pass one of the tests. */
export interface TestedDay {
  readonly day: number;
  readonly organizationId: string;
  readonly tests: readonly PropertyTest[];
}

/** A record that is dropped with its day. */
export interface NotedRecord extends Age {
  readonly organizationId: string;
}

/** Records of an engine that stores days separately, so that a day can be dropped in one step. */
export interface AgedDays {
  /** Days before this one that have records, oldest first. */
  before(day: number): Promise<readonly AgedDay[]>;
  /** Those of these days that have such a record. */
  having(tested: readonly TestedDay[]): Promise<ReadonlySet<number>>;
  /** Stores the ids of these days' records before they are dropped. */
  note(days: readonly number[]): Promise<void>;
  /** Days whose ids are stored. */
  noted(): Promise<readonly number[]>;
  /** Deletes the stored ids of these days. */
  forget(days: readonly number[]): Promise<void>;
  /** The next stored ids of these days, ordered by organization. */
  idsOf(days: readonly number[], after: NotedRecord | undefined, limit: number): Promise<readonly NotedRecord[]>;
}

/** Records by organization and age, for jobs that remove them and what belongs to them. */
export interface AgedRecords {
  /** Records checked per step, and records removed per step. */
  readonly steps: { readonly look: number; readonly remove: number };
  /** Only for an engine that stores days separately: a record is removed once its complete day is too old. */
  readonly days?: AgedDays;
  /** Organizations that have records. */
  organizations(): Promise<readonly string[]>;
  /** Ids of some finished records of an organization; the engine chooses which. */
  finished(organizationId: string, limit: number): Promise<readonly string[]>;
  /** Number of records of an organization, including those in flight. @throws GatewayError `query_timeout`. */
  count(organizationId: string, deadline: Deadline): Promise<number>;
  /** Includes records in flight, which are never removed. */
  page(page: AgePage): Promise<readonly AgedRecord[]>;
  /** Those of these records that still have an input or output. */
  showing(requestIds: readonly string[]): Promise<readonly string[]>;
  /** Those of these ids that have a record, finished or in flight. */
  having(requestIds: readonly string[]): Promise<ReadonlySet<string>>;
}
