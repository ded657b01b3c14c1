import type { Store } from "../store/store.ts";
import type { Aggregates } from "./aggregates.ts";
import { libsqlAggregates } from "./libsql/aggregates.ts";
import { libsqlSource } from "./libsql/source.ts";
import type { RecordSource } from "./record-source.ts";

/** What reads records, wherever they are. */
export interface EngineReader {
  readonly source: RecordSource;
  readonly aggregates: Aggregates;
}

/** @param store - open for reading. */
export function engineReader(store: Store): EngineReader {
  return { source: libsqlSource(store.records), aggregates: libsqlAggregates(store) };
}
