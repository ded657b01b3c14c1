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

/** Records of whole organizations and by their age, for what removes them, and what else belongs to them. */
export interface AgedRecords {
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
