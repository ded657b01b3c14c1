import type { Scope } from "../../filter/scope.ts";
import type { RequestRow } from "../../record/request-record.ts";
import type { Deadline } from "../../store/database/deadline.ts";
import type { Database } from "../../store/store.ts";
import type {
  OfSession,
  Page,
  PageOptions,
  RecordKey,
  RecordSource,
  RecordsToShow,
  SearchOptions,
  ValueSearch,
} from "../record-source.ts";
import { countMatches, type FoundPage, findPage } from "./find/find.ts";
import { keyOf } from "./find/found-row.ts";
import { hasPropertyName, propertyNames, propertyValues } from "./find/property-list.ts";
import { listedRecords, organizationOf, recordColumns, sessionKeys, wholeRecords } from "./find/records.ts";
import { WordSearch } from "./find/word-search.ts";

/** Records in a libSQL database. */
export function libsqlSource(database: Database): RecordSource {
  return {
    page: async (scope: Scope, options: PageOptions) => keyed(await findPage(database, scope, options)),
    search: async (scope: Scope, options: SearchOptions) =>
      keyed(await new WordSearch(database, scope, options).page()),
    count: (scope: Scope, deadline: Deadline) => countMatches(database, scope, deadline),
    ofSession: (query: OfSession) => sessionKeys(database, query),
    organizationOf: (requestId: string) => organizationOf(database, requestId),
    records: (organizationId: string, keys: readonly RecordKey[]) => wholeRecords(database, organizationId, keys),
    listed: <Column extends keyof RequestRow>(query: RecordsToShow, columns: readonly Column[]) =>
      listedRecords(database, query, columns),
    columns: <Column extends keyof RequestRow>(
      organizationId: string,
      keys: readonly RecordKey[],
      columns: readonly Column[],
    ) => recordColumns(database, { organizationId, keys, columns }),
    propertyNames: (organizationId, deadline, page) => propertyNames(database, organizationId, deadline, page),
    hasPropertyName: (organizationId, name, deadline) => hasPropertyName(database, organizationId, name, deadline),
    propertyValues: (search: ValueSearch, deadline: Deadline) => propertyValues(database, search, deadline),
  };
}

function keyed({ rows, ...page }: FoundPage): Page {
  return { keys: rows.map(keyOf), ...page };
}
