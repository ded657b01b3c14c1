import type { Config } from "../config.ts";
import { clickhouseOf } from "./clickhouse/open.ts";
import { ClickHouseSink } from "./clickhouse/sink.ts";
import { tablesVersion } from "./clickhouse/tables.ts";
import { LibsqlSink } from "./libsql/sink.ts";
import type { RecordSink, SinkOptions } from "./record-sink.ts";

/**
 * Looks at the tables of records where they are not in the libSQL database.
 *
 * @throws GatewayError `database_newer`, or what asking throws while they are away.
 */
export async function checkRecords(config: Config): Promise<void> {
  if (config.records_engine === "clickhouse") await tablesVersion(clickhouseOf(config));
}

/** What writes records, wherever they are kept. */
export function engineSink(options: SinkOptions): RecordSink {
  return options.config.records_engine === "clickhouse" ? new ClickHouseSink(options) : new LibsqlSink(options);
}
