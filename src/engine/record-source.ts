import type { Position } from "../filter/cursor.ts";
import type { PropertyName } from "../filter/property-names.ts";
import type { Scope } from "../filter/scope.ts";
import type { Reach } from "../filter/sight.ts";
import type { Sort } from "../filter/sort.ts";
import type { MadeFrom, RequestRow } from "../record/request-record.ts";
import type { MappingsOfProviders } from "../store/bodies/body-text.ts";
import type { Deadline } from "../store/database/deadline.ts";
import type { WordQuery } from "../store/words/word-query.ts";

/**
 * Identifies a record: its id, in lower case, and its creation time if known. Keys returned by an engine may have more
 * fields, with which that engine finds the record faster; a key with only an id identifies the same record.
 */
export interface RecordKey {
  readonly requestId: string;
  /** Milliseconds since 1970. */
  readonly createdAt?: number | undefined;
}

/** Keys of records for which only the ids are known. */
export const keysOf = (requestIds: readonly string[]): readonly RecordKey[] =>
  requestIds.map((requestId) => ({ requestId }));

export interface PageOptions {
  readonly sort: Sort;
  readonly limit: number;
  readonly offset: number;
  /** Only records after this one in the order. */
  readonly after?: Position | undefined;
  readonly deadline: Deadline;
  /** When bodies are searched, return what was found within this many milliseconds. */
  readonly withinMs?: number | undefined;
}

export interface SearchOptions {
  readonly query: WordQuery;
  readonly limit: number;
  /** The end of the previous page. */
  readonly after: Position | undefined;
  readonly deadline: Deadline;
  /** Whether the words of every record in reach of the search are indexed. */
  readonly isIndexed: boolean;
  readonly ofProviders: MappingsOfProviders;
}

export interface Page {
  readonly keys: readonly RecordKey[];
  /** The last record of the page if more follow; undefined at the end. */
  readonly next: Position | undefined;
  /** Where an unfinished search stopped: the time of the last record that it checked. */
  readonly searchedTo?: number | undefined;
}

/** Records of one organization to be shown. */
export interface RecordsToShow extends Reach {
  readonly keys: readonly RecordKey[];
}

/** A record to be printed. */
export interface ListedRecord<Column extends keyof RequestRow = keyof MadeFrom> {
  /** Those of its `STORED_MEMBERS` that the caller may see, as the JSON text of an object. */
  readonly stored: string;
  readonly row: Pick<RequestRow, Column>;
}

export interface ValueSearch {
  readonly organizationId: string;
  readonly name: PropertyName;
  /** A pattern of `filter/wildcards.ts`, or undefined for all values. */
  readonly pattern: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** Selects records of one session. */
export interface OfSession {
  readonly organizationId: string;
  readonly sessionId: string;
  readonly limit: number;
  /** Only records created until this time, in milliseconds since 1970. */
  readonly upTo?: number;
}

/** Whether any record belongs to this session. */
export const isSession = async (
  source: RecordSource,
  query: Pick<OfSession, "organizationId" | "sessionId">,
): Promise<boolean> => (await source.ofSession({ ...query, limit: 1 })).length > 0;

/** Finds and reads stored records. Calls with a deadline throw `query_timeout` after it. */
export interface RecordSource {
  /** One page of a query. */
  page(scope: Scope, options: PageOptions): Promise<Page>;
  /** The newest records whose text contains the words, in the order of `searchOrder`; a page may be short even if more follow. */
  search(scope: Scope, options: SearchOptions): Promise<Page>;
  count(scope: Scope, deadline: Deadline): Promise<number>;
  /** The oldest records of a session, by time. */
  ofSession(query: OfSession): Promise<readonly RecordKey[]>;
  /** The organization that owns a record; undefined when there is no such record. */
  organizationOf(requestId: string): Promise<string | undefined>;
  /** Complete records in the order of `keys`; those that the organization does not have are left out. */
  records(organizationId: string, keys: readonly RecordKey[]): Promise<RequestRow[]>;
  /**
   * Records for printing, in the order of their keys.
   *
   * @param columns - required in addition to the stored members.
   */
  listed<Column extends keyof RequestRow>(
    query: RecordsToShow,
    columns: readonly Column[],
  ): Promise<ListedRecord<Column>[]>;
  /** Some columns of records in the order of `keys`; those that the organization does not have are left out. */
  columns<Column extends keyof RequestRow>(
    organizationId: string,
    keys: readonly RecordKey[],
    columns: readonly Column[],
  ): Promise<Pick<RequestRow, Column>[]>;
  /** Names of an organization's properties, sorted; without a limit, as many as the engine reads at most. */
  propertyNames(
    organizationId: string,
    deadline: Deadline,
    page?: { readonly limit: number; readonly offset: number },
  ): Promise<string[]>;
  /** Whether any record has a property that a filter with this name matches. */
  hasPropertyName(organizationId: string, name: PropertyName, deadline: Deadline): Promise<boolean>;
  /** Distinct values of one property, sorted. */
  propertyValues(search: ValueSearch, deadline: Deadline): Promise<string[]>;
}
