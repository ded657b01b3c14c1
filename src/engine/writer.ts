import type { Config } from "../config.ts";
import type { MappingsOfProviders } from "../store/bodies/body-text.ts";
import type { Store } from "../store/store.ts";
import { LibsqlSink } from "./libsql/sink.ts";
import type { RecordSink } from "./record-sink.ts";

export interface SinkOptions {
  /** Open for writing, its tables up to date. */
  readonly store: Store;
  readonly config: Config;
  /** The mappings that providers have in their files. */
  readonly ofProviders: MappingsOfProviders;
}

/** What writes records, wherever they are kept. */
export function engineSink(options: SinkOptions): RecordSink {
  return new LibsqlSink(options);
}
