import { LibsqlSink } from "./libsql/sink.ts";
import type { RecordSink, SinkOptions } from "./record-sink.ts";

/** What writes records, wherever they are kept. */
export function engineSink(options: SinkOptions): RecordSink {
  return new LibsqlSink(options);
}
