import type { Deadline } from "../store/database/deadline.ts";

/** A property of a record as it is stored. */
export interface StoredProperty {
  readonly name: string;
  readonly value: string;
  /** 1 where the name reached us without its case. */
  readonly case_erased: number;
}

/** Where a record stands among those of its organization, the oldest first. */
export interface Age {
  readonly requestId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

export interface AgedRecord extends Age {
  /** Only where they were asked for. */
  readonly properties: readonly StoredProperty[];
}

export interface AgePage {
  readonly organizationId: string;
  /** Only records that were made before this time. */
  readonly before: number;
  readonly after: Age | undefined;
  readonly limit: number;
  readonly withProperties: boolean;
}

/** A day in UTC, counted from 1970, and whose records are of it. */
export interface AgedDay {
  readonly day: number;
  readonly organizationIds: readonly string[];
}

/** Which records have a property; a null value is any. */
export interface PropertyTest {
  readonly property: string;
  readonly value: string | null;
}

/** A record that goes with its day. */
export interface NotedRecord extends Age {
  readonly organizationId: string;
}

/** Records of an engine that keeps days apart, so that one can be dropped at once. */
export interface AgedDays {
  /** Days with records before one, the oldest first. */
  before(day: number): Promise<readonly AgedDay[]>;
  /** Whether an organization has a record of this day that passes one of these tests. */
  holds(
    place: { readonly day: number; readonly organizationId: string },
    tests: readonly PropertyTest[],
  ): Promise<boolean>;
  /** Notes the ids of a day's records, before they are dropped. */
  note(day: number): Promise<void>;
  /** Days whose ids are noted. */
  noted(): Promise<readonly number[]>;
  /** Forgets the ids of a day. */
  forget(day: number): Promise<void>;
  /** The next of a day's noted ids, in the order of their organizations. */
  idsOf(day: number, after: NotedRecord | undefined, limit: number): Promise<readonly NotedRecord[]>;
}

/** Records of whole organizations and by their age, for what removes them, and what else belongs to them. */
export interface AgedRecords {
  /** How many records one step looks at, and how many it removes. */
  readonly steps: { readonly look: number; readonly remove: number };
  /** Only of an engine that keeps days apart: there a record goes once its whole day is too old. */
  readonly days?: AgedDays;
  /** Organizations that have records. */
  organizations(): Promise<readonly string[]>;
  /** Ids of some finished records of an organization; which ones is the engine's choice. */
  finished(organizationId: string, limit: number): Promise<readonly string[]>;
  /** How many records an organization has, those in flight too. @throws GatewayError `query_timeout`. */
  count(organizationId: string, deadline: Deadline): Promise<number>;
  /** Also rows in flight, which nothing removes. */
  page(page: AgePage): Promise<readonly AgedRecord[]>;
  /** Those of some records that show something of their bodies. */
  showing(requestIds: readonly string[]): Promise<readonly string[]>;
  /** Those of some ids that have a record, finished or in flight. */
  having(requestIds: readonly string[]): Promise<ReadonlySet<string>>;
}
