import { Buckets, Counter, gaugeText, histogramText } from "../runtime/metrics.ts";
import { UsageMetrics } from "./usage-metrics.ts";

/** Why an exchange has no record. */
export type DropReason = "plugin" | "id_taken" | "unstorable" | "unreadable";

/** The recorder's current position. */
interface Standing {
  readonly lagBytes: number;
  readonly bodiesBehind: number;
  readonly inFlight: number;
}

const BATCH_SECONDS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10];

/** The recorder's metrics. Each thread has its own. */
export class RecorderMetrics {
  readonly used = new UsageMetrics();
  readonly batchSeconds = new Buckets(BATCH_SECONDS);
  readonly recorded = new Counter({
    name: "weir_recorded_total",
    help: "Exchanges whose final record is in the database.",
  });
  readonly dropped = new Counter(
    { name: "weir_records_dropped_total", help: "Exchanges without a record, by reason." },
    [],
  );
  readonly databaseErrors = new Counter({
    name: "weir_database_errors_total",
    help: "Writes that the database refused; they are retried.",
  });
  readonly bodiesErrors = new Counter({
    name: "weir_bodies_errors_total",
    help: "Writes that failed at the object store; they are retried.",
  });
  readonly draftFailures = new Counter({
    name: "weir_draft_failures_total",
    help: "Records that plugins changed into something that cannot be stored; stored as they were.",
  });
  readonly readingFailures = new Counter(
    {
      name: "weir_reading_failures_total",
      help: "Calls of a provider's functions that failed on an exchange.",
    },
    [],
  );
  readonly unread = new Counter(
    {
      name: "weir_records_unread_total",
      help: "Records whose bodies are stored as they came, by why they were not read: timeout, failed or crash.",
    },
    [],
  );
  readonly tornBytes = new Counter({
    name: "weir_spool_torn_bytes_total",
    help: "Bytes of the spool that were no whole frame: torn by a kill, or damaged.",
  });
  readonly missingBytes = new Counter({
    name: "weir_spool_missing_bytes_total",
    help: "Bytes that were written to spool segments and were not there, or not readable at a segment's end.",
  });

  /** Prometheus text. */
  text({ lagBytes, bodiesBehind, inFlight }: Standing): string {
    const counters = [this.recorded, this.dropped, this.databaseErrors, this.bodiesErrors, this.draftFailures];
    const others = [this.readingFailures, this.unread, this.tornBytes, this.missingBytes];
    return [
      this.used.text(),
      ...[...counters, ...others].map((each) => each.text()),
      histogramText("weir_recorder_batch_seconds", "Time to prepare and write one batch.", this.batchSeconds.counts()),
      gaugeText("weir_spool_lag_bytes", "Bytes of the spool that are not in the database yet.", lagBytes),
      gaugeText(
        "weir_bodies_behind_bytes",
        "Bytes of the spool that wait for the object store; 0 while it takes bodies.",
        bodiesBehind,
      ),
      gaugeText(
        "weir_exchanges_in_flight",
        "Exchanges that began and have not ended, as the recorder sees it.",
        inFlight,
      ),
    ].join("");
  }
}
