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

/** Records by their age, for retention, and what else belongs to them. */
export interface AgedRecords {
  /** Organizations that have records. */
  organizations(): Promise<readonly string[]>;
  /** Also rows in flight, which nothing removes. */
  page(page: AgePage): Promise<readonly AgedRecord[]>;
  /** Those of some records that show something of their bodies. */
  showing(requestIds: readonly string[]): Promise<readonly string[]>;
  /** Those of some ids that have a record, finished or in flight. */
  having(requestIds: readonly string[]): Promise<ReadonlySet<string>>;
}
