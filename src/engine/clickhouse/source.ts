import type { RequestRow } from "../../record/request-record.ts";
import type { RecordKey, RecordSource, RecordsToShow } from "../record-source.ts";
import { countMatches, findPage } from "./find.ts";
import { organizationOf } from "./look-up.ts";
import { hasPropertyName, propertyNames, propertyValues } from "./property-list.ts";
import { listedRecords, recordColumns, sessionKeys, wholeRecords } from "./read.ts";
import type { ReaderOptions } from "./records.ts";
import { searchWords } from "./word-search.ts";

/** Records in ClickHouse. */
export function clickhouseSource(options: ReaderOptions): RecordSource {
  return {
    page: (scope, query) => findPage(options, scope, query),
    search: (scope, query) => searchWords(options, scope, query),
    count: (scope, deadline) => countMatches(options, scope, deadline),
    ofSession: (query) => sessionKeys(options, query),
    organizationOf: (requestId) => organizationOf(options, requestId),
    records: (organizationId, keys) => wholeRecords(options, organizationId, keys),
    listed: <Column extends keyof RequestRow>(query: RecordsToShow, columns: readonly Column[]) =>
      listedRecords(options, query, columns),
    columns: <Column extends keyof RequestRow>(
      organizationId: string,
      keys: readonly RecordKey[],
      columns: readonly Column[],
    ) => recordColumns(options, { organizationId, keys, columns }),
    propertyNames: (organizationId, deadline, page) => propertyNames(options, organizationId, deadline, page),
    hasPropertyName: (organizationId, name, deadline) => hasPropertyName(options, organizationId, name, deadline),
    propertyValues: (search, deadline) => propertyValues(options, search, deadline),
  };
}
