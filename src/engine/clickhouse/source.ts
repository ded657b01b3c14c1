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
    page: (scope, asked) => findPage(options, scope, asked),
    search: (scope, asked) => searchWords(options, scope, asked),
    count: (scope, deadline) => countMatches(options, scope, deadline),
    ofSession: (asked) => sessionKeys(options, asked),
    organizationOf: (requestId) => organizationOf(options, requestId),
    records: (organizationId, keys) => wholeRecords(options, organizationId, keys),
    listed: <Column extends keyof RequestRow>(asked: RecordsToShow, columns: readonly Column[]) =>
      listedRecords(options, asked, columns),
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
