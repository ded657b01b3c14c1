import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { UsageMetrics } from "./usage-metrics.ts";

/** Why something that passed has no record. */
export type DropReason = "plugin" | "id_taken" | "unstorable" | "unreadable";

/** Where the recorder stands. */
interface Standing {
  readonly lagBytes: number;
  readonly bodiesBehind: number;
  readonly inFlight: number;
}

/** The recorder's metrics, in a registry of its own: each thread answers for itself. */
export class RecorderMetrics {
  readonly #registry = new Registry();
  readonly used = new UsageMetrics(this.#registry);
  readonly recorded = new Counter({
    name: "weir_recorded_total",
    help: "Exchanges whose final record is in the database.",
    registers: [this.#registry],
  });
  readonly dropped = new Counter({
    name: "weir_records_dropped_total",
    help: "Exchanges without a record, by reason.",
    labelNames: ["reason"],
    registers: [this.#registry],
  });
  readonly batchSeconds = new Histogram({
    name: "weir_recorder_batch_seconds",
    help: "Time to prepare and write one batch.",
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [this.#registry],
  });
  readonly databaseErrors = new Counter({
    name: "weir_database_errors_total",
    help: "Writes that the database refused; they are tried again.",
    registers: [this.#registry],
  });
  readonly bodiesErrors = new Counter({
    name: "weir_bodies_errors_total",
    help: "Writes that the object store refused or did not answer; they are tried again.",
    registers: [this.#registry],
  });
  readonly draftFailures = new Counter({
    name: "weir_draft_failures_total",
    help: "Records that plugins changed into something that cannot be stored; stored as they were.",
    registers: [this.#registry],
  });
  readonly readingFailures = new Counter({
    name: "weir_reading_failures_total",
    help: "Calls of a provider's functions that failed on an exchange.",
    labelNames: ["provider"],
    registers: [this.#registry],
  });
  readonly unread = new Counter({
    name: "weir_records_unread_total",
    help: "Records whose bodies are stored as they came, by why they were not read: timeout, failed or crash.",
    labelNames: ["reason"],
    registers: [this.#registry],
  });
  readonly tornBytes = new Counter({
    name: "weir_spool_torn_bytes_total",
    help: "Bytes of the spool that were no whole frame: torn by a kill, or damaged.",
    registers: [this.#registry],
  });
  readonly missingBytes = new Counter({
    name: "weir_spool_missing_bytes_total",
    help: "Bytes that were written to spool segments and were not there, or not readable at a segment's end.",
    registers: [this.#registry],
  });
  readonly #lag = new Gauge({
    name: "weir_spool_lag_bytes",
    help: "Bytes of the spool that are not in the database yet.",
    registers: [this.#registry],
  });
  readonly #bodiesBehind = new Gauge({
    name: "weir_bodies_behind_bytes",
    help: "Bytes of the spool that wait for the object store; 0 while it takes bodies.",
    registers: [this.#registry],
  });
  readonly #inFlight = new Gauge({
    name: "weir_exchanges_in_flight",
    help: "Exchanges that began and have not ended, as the recorder sees it.",
    registers: [this.#registry],
  });

  /** Prometheus text. */
  text({ lagBytes, bodiesBehind, inFlight }: Standing): Promise<string> {
    this.#lag.set(lagBytes);
    this.#bodiesBehind.set(bodiesBehind);
    this.#inFlight.set(inFlight);
    return this.#registry.metrics();
  }
}
