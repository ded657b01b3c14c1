import type { Config } from "../config.ts";
import { clickhouseOf } from "./clickhouse/open.ts";
import { ClickHouseSink } from "./clickhouse/sink.ts";
import { tablesVersion } from "./clickhouse/tables.ts";
import { LibsqlSink } from "./libsql/sink.ts";
import type { RecordSink, SinkOptions } from "./record-sink.ts";

/**
 * Checks the tables of records if they are not in the libSQL database.
 *
 * @throws GatewayError `database_newer`, or the error of the query while the database is unavailable.
 */
export async function checkRecords(config: Config): Promise<void> {
  if (config.records_engine === "clickhouse") await tablesVersion(clickhouseOf(config));
}

/** The writer of records for the configured engine. */
export function engineSink(options: SinkOptions): RecordSink {
  return options.config.records_engine === "clickhouse" ? new ClickHouseSink(options) : new LibsqlSink(options);
}
