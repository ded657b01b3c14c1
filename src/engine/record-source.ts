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
 * What names a record: its id, in lower case, and its time where the caller knows it. Keys that an engine returned may
 * hold more, by which that engine finds the record sooner; a key of an id alone names the same record.
 */
export interface RecordKey {
  readonly requestId: string;
  /** Milliseconds since 1970. */
  readonly createdAt?: number | undefined;
}

/** Keys of records of which only the ids are known. */
export const keysOf = (requestIds: readonly string[]): readonly RecordKey[] =>
  requestIds.map((requestId) => ({ requestId }));

export interface PageOptions {
  readonly sort: Sort;
  readonly limit: number;
  readonly offset: number;
  /** Only what comes after this record in the order. */
  readonly after?: Position | undefined;
  readonly deadline: Deadline;
  /** Where bodies are searched, what is found within so many milliseconds will do. */
  readonly withinMs?: number | undefined;
}

export interface SearchOptions {
  readonly query: WordQuery;
  readonly limit: number;
  /** Where the page before ended. */
  readonly after: Position | undefined;
  readonly deadline: Deadline;
  /** Whether every record that the search can find has its words in the index. */
  readonly isIndexed: boolean;
  readonly ofProviders: MappingsOfProviders;
}

export interface Page {
  readonly keys: readonly RecordKey[];
  /** The last record of the page where more follow; undefined at the end. */
  readonly next: Position | undefined;
  /** Where a search was broken off: the time of the last record that was looked at. */
  readonly searchedTo?: number | undefined;
}

/** Records of one organization that are to be shown. */
export interface Asked extends Reach {
  readonly keys: readonly RecordKey[];
}

/** A record that is to be printed. */
export interface ListedRecord<Column extends keyof RequestRow = keyof MadeFrom> {
  /** Those of its `STORED_MEMBERS` that the caller sees, an object as JSON text. */
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

/** Records of one session. */
export interface OfSession {
  readonly organizationId: string;
  readonly sessionId: string;
  readonly limit: number;
  /** Only what was made until this time, in milliseconds since 1970. */
  readonly upTo?: number;
}

/** Whether any record is of this session. */
export const isSession = async (
  source: RecordSource,
  asked: Pick<OfSession, "organizationId" | "sessionId">,
): Promise<boolean> => (await source.ofSession({ ...asked, limit: 1 })).length > 0;

/** Records that were written, found and read. Calls with a deadline throw `query_timeout` after it. */
export interface RecordSource {
  /** One page of a query. */
  page(scope: Scope, options: PageOptions): Promise<Page>;
  /** The newest records whose text has the words, in the order of `searchOrder`; a page may be short although more follow. */
  search(scope: Scope, options: SearchOptions): Promise<Page>;
  count(scope: Scope, deadline: Deadline): Promise<number>;
  /** The oldest records of a session, in the order of their time. */
  ofSession(asked: OfSession): Promise<readonly RecordKey[]>;
  /** The organization whose record this is; undefined where there is no such record. */
  organizationOf(requestId: string): Promise<string | undefined>;
  /** Whole records in the order asked; those that the organization does not have are left out. */
  records(organizationId: string, keys: readonly RecordKey[]): Promise<RequestRow[]>;
  /**
   * The same for printing them.
   *
   * @param columns - what is needed besides the stored members.
   */
  listed<Column extends keyof RequestRow>(asked: Asked, columns: readonly Column[]): Promise<ListedRecord<Column>[]>;
  /** Some columns of records, in the order asked; those that the organization does not have are left out. */
  columns<Column extends keyof RequestRow>(
    organizationId: string,
    keys: readonly RecordKey[],
    columns: readonly Column[],
  ): Promise<Pick<RequestRow, Column>[]>;
  /** Names of an organization's properties, sorted; as many as the engine reads at most where no limit is given. */
  propertyNames(
    organizationId: string,
    deadline: Deadline,
    page?: { readonly limit: number; readonly offset: number },
  ): Promise<string[]>;
  /** Whether any record has a property that a filter with this name would find. */
  hasPropertyName(organizationId: string, name: PropertyName, deadline: Deadline): Promise<boolean>;
  /** Different values of one property, sorted. */
  propertyValues(search: ValueSearch, deadline: Deadline): Promise<string[]>;
}
