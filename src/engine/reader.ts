import type { Config } from "../config.ts";
import type { Store } from "../store/store.ts";
import type { AgedRecords } from "./aged-records.ts";
import type { Aggregates } from "./aggregates.ts";
import { clickhouseAged } from "./clickhouse/aged.ts";
import { clickhouseAggregates } from "./clickhouse/aggregates.ts";
import { clickhouseOf, layoutOf } from "./clickhouse/open.ts";
import type { ReaderOptions } from "./clickhouse/records.ts";
import { clickhouseSource } from "./clickhouse/source.ts";
import { clickhouseWalk } from "./clickhouse/walk.ts";
import { libsqlAged } from "./libsql/aged.ts";
import { libsqlAggregates } from "./libsql/aggregates.ts";
import { libsqlSource } from "./libsql/source.ts";
import { libsqlWalk } from "./libsql/walk.ts";
import type { RecordSource } from "./record-source.ts";
import type { RecordWalk } from "./record-walk.ts";

/** Readers of records, whichever database holds them. */
export interface EngineReader {
  readonly source: RecordSource;
  readonly aggregates: Aggregates;
  readonly walk: RecordWalk;
}

/**
 * @param store - open for reading.
 * @param config - says where records are; without it, in the libSQL database.
 */
export function engineReader(store: Store, config?: Config): EngineReader {
  if (config?.records_engine !== "clickhouse") {
    const { records } = store;
    return { source: libsqlSource(records), aggregates: libsqlAggregates(store), walk: libsqlWalk(records) };
  }
  const client = clickhouseOf(config);
  const options: ReaderOptions = {
    client,
    control: store.records,
    hasOpenRows: config.records_open_rows,
    keepsTexts: config.records_search_texts,
    loadBodies: (requestIds, parts) => store.content.get(requestIds, parts),
  };
  return {
    source: clickhouseSource(options),
    aggregates: clickhouseAggregates(options),
    walk: clickhouseWalk(client),
  };
}

/** Finds records by age, whichever database holds them. */
export function agedRecords({ records }: Store, config: Config): AgedRecords {
  return config.records_engine === "clickhouse"
    ? clickhouseAged(clickhouseOf(config), layoutOf(config))
    : libsqlAged(records);
}
