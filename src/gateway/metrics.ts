import { Counter, Gauge, Registry } from "prom-client";
import type { Outcome, SpoolStats } from "../spool/frame.ts";
import type { GatewayCounts } from "../threads.ts";
import type { BudgetCounts } from "./body/budget.ts";
import type { CacheCounts } from "./cache/response-cache.ts";
import { Buckets, histogramText, together } from "./histogram.ts";
import type { AttemptMetrics } from "./unified/attempt-metrics.ts";
import type { UnifiedParts } from "./unified/unified-parts.ts";

/** Seconds. The first buckets are for the gateway's own time, the last ones for slow models. */
const OVERHEAD_BUCKETS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1];
const FIRST_BYTE_BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** One exchange that has ended, as far as metrics go. Times are milliseconds since 1970. */
interface Measured {
  /** A loaded provider's name or CUSTOM, never what a client made up. */
  readonly provider: string;
  readonly status: number;
  readonly outcome: Outcome;
  readonly startedAt: number;
  /** When it was passed on: for the first time, and in the try that was answered. */
  readonly firstForwardedAt: number | undefined;
  readonly forwardedAt: number | undefined;
  readonly firstByteAt: number | undefined;
  readonly requestBytes: number;
  readonly responseBytes: number;
}

/** What is looked at when somebody reads. */
interface Watched {
  readonly inFlight: () => number;
  readonly spool: () => SpoolStats;
  readonly cache: () => CacheCounts;
  readonly bodies: () => BudgetCounts;
  readonly unified: Pick<UnifiedParts, "metrics" | "rests">;
  /** The server that divides limits among nodes, where one is configured. */
  readonly limits?: { readonly degraded: readonly string[] } | undefined;
}

/** Counts in plain numbers while requests pass; Prometheus objects are only touched when someone reads. */
export class GatewayMetrics {
  readonly #registry = new Registry();
  readonly #requests = new Map<string, number>();
  readonly #overhead = new Buckets(OVERHEAD_BUCKETS);
  readonly #firstByte = new Buckets(FIRST_BYTE_BUCKETS);
  readonly #inFlight: () => number;
  readonly #spool: () => SpoolStats;
  readonly #bodies: () => BudgetCounts;
  readonly #unified: AttemptMetrics;
  #requestBytes = 0;
  #responseBytes = 0;
  /** What is being shown, of all threads together. */
  #shown: GatewayCounts;

  constructor({ inFlight, spool, cache, bodies, unified, limits }: Watched) {
    this.#inFlight = inFlight;
    this.#bodies = bodies;
    this.#spool = spool;
    this.#unified = unified.metrics;
    this.#shown = this.counts();
    const registers = [this.#registry];
    showCache(registers, cache);
    unified.metrics.show(registers, () => unified.rests.health(Date.now()));
    this.#showRequests(registers);
    showCount(registers, {
      name: "weir_spool_exchanges_dropped_total",
      help: "Exchanges that lost their record or a part of it because the spool could not be written.",
      value: () => this.#shown.exchangesDropped,
    });
    showCount(registers, {
      name: "weir_spool_bytes_total",
      help: "Bytes written to the spool.",
      value: () => this.#shown.spoolBytes,
    });
    if (limits !== undefined) {
      showGauge(registers, {
        name: "weir_limits_server_up",
        help: "1 while the limits server divides limits among nodes, 0 while the database does it in its place.",
        value: () => (limits.degraded.length === 0 ? 1 : 0),
      });
    }
    showGauge(registers, {
      name: "weir_spool_healthy",
      help: "1 while the spool can be written.",
      value: () => (this.#shown.spoolHealthy ? 1 : 0),
    });
  }

  count(exchange: Measured): void {
    const key = `${exchange.provider} ${Math.floor(exchange.status / 100)}xx ${exchange.outcome}`;
    this.#requests.set(key, (this.#requests.get(key) ?? 0) + 1);
    this.#requestBytes += exchange.requestBytes;
    this.#responseBytes += exchange.responseBytes;
    const { startedAt, firstForwardedAt, forwardedAt, firstByteAt } = exchange;
    if (firstForwardedAt === undefined || forwardedAt === undefined) return;
    this.#overhead.observe((firstForwardedAt - startedAt) / 1_000);
    if (firstByteAt !== undefined) this.#firstByte.observe((firstByteAt - forwardedAt) / 1_000);
  }

  counts(): GatewayCounts {
    const { exchangesDropped, bytesWritten, healthy } = this.#spool();
    return {
      requests: this.#requests,
      requestBytes: this.#requestBytes,
      responseBytes: this.#responseBytes,
      inFlight: this.#inFlight(),
      wholeBodies: this.#bodies(),
      exchangesDropped,
      spoolBytes: bytesWritten,
      spoolHealthy: healthy,
      overhead: this.#overhead.counts(),
      firstByte: this.#firstByte.counts(),
    };
  }

  #showRequests(registers: Registry[]): void {
    const shown = () => this.#shown;
    new Counter({
      name: "weir_gateway_requests_total",
      help: "Requests that have ended, refused ones included.",
      labelNames: ["provider", "status", "outcome"] as const,
      registers,
      collect() {
        this.reset();
        for (const [key, count] of shown().requests) {
          const [provider = "", status = "", outcome = ""] = key.split(" ");
          this.inc({ provider, status, outcome }, count);
        }
      },
    });
    new Counter({
      name: "weir_gateway_bytes_total",
      help: "Body bytes that passed.",
      labelNames: ["direction"] as const,
      registers,
      collect() {
        this.reset();
        this.inc({ direction: "request" }, shown().requestBytes);
        this.inc({ direction: "response" }, shown().responseBytes);
      },
    });
    showGauge(registers, {
      name: "weir_gateway_in_flight",
      help: "Requests that are being served.",
      value: () => shown().inFlight,
    });
    showGauge(registers, {
      name: "weir_gateway_whole_body_bytes",
      help: "Memory of request bodies that are held whole.",
      value: () => shown().wholeBodies.bytes,
    });
    showGauge(registers, {
      name: "weir_gateway_whole_bodies_waiting",
      help: "Requests that wait for memory for their bodies.",
      value: () => shown().wholeBodies.waiting,
    });
    showCount(registers, {
      name: "weir_gateway_whole_bodies_refused_total",
      help: "Requests that found no memory for their bodies: 503 bodies_full.",
      value: () => shown().wholeBodies.refused,
    });
  }

  /** @param others - of the other gateway threads. */
  async text(others: readonly GatewayCounts[] = []): Promise<string> {
    const all = others.reduce(sumOf, this.counts());
    this.#shown = all;
    return [
      await this.#registry.metrics(),
      histogramText("weir_gateway_overhead_seconds", "From a request's arrival to its passing on.", all.overhead),
      histogramText("weir_gateway_first_byte_seconds", "From passing on to the first body byte.", all.firstByte),
      this.#unified.translationText(),
    ].join("\n");
  }
}

function sumOf(one: GatewayCounts, other: GatewayCounts): GatewayCounts {
  const requests = new Map(one.requests);
  for (const [key, count] of other.requests) requests.set(key, (requests.get(key) ?? 0) + count);
  return {
    requests,
    requestBytes: one.requestBytes + other.requestBytes,
    responseBytes: one.responseBytes + other.responseBytes,
    inFlight: one.inFlight + other.inFlight,
    wholeBodies: {
      bytes: one.wholeBodies.bytes + other.wholeBodies.bytes,
      waiting: one.wholeBodies.waiting + other.wholeBodies.waiting,
      refused: one.wholeBodies.refused + other.wholeBodies.refused,
    },
    exchangesDropped: one.exchangesDropped + other.exchangesDropped,
    spoolBytes: one.spoolBytes + other.spoolBytes,
    spoolHealthy: one.spoolHealthy && other.spoolHealthy,
    overhead: together(one.overhead, other.overhead),
    firstByte: together(one.firstByte, other.firstByte),
  };
}

function showCache(registers: Registry[], cache: () => CacheCounts): void {
  new Counter({
    name: "weir_cache_requests_total",
    help: "Requests that asked the cache and were answered by it, or went to their provider.",
    labelNames: ["result"] as const,
    registers,
    collect() {
      this.reset();
      this.inc({ result: "hit" }, cache().hits);
      this.inc({ result: "miss" }, cache().misses);
    },
  });
  showCount(registers, {
    name: "weir_cache_failures_total",
    help: "Answers that the disk did not take, or not fast enough.",
    value: () => cache().failures,
  });
  showGauge(registers, {
    name: "weir_cache_bytes",
    help: "Bytes of the stored answers.",
    value: () => cache().totals.bytes,
  });
  showGauge(registers, { name: "weir_cache_entries", help: "Stored answers.", value: () => cache().totals.entries });
}

/** One number that is asked for when somebody reads. */
interface Shown {
  readonly name: string;
  readonly help: string;
  readonly value: () => number;
}

function showCount(registers: Registry[], { name, help, value }: Shown): void {
  new Counter({
    name,
    help,
    registers,
    collect() {
      this.reset();
      this.inc(value());
    },
  });
}

function showGauge(registers: Registry[], { name, help, value }: Shown): void {
  new Gauge({
    name,
    help,
    registers,
    collect() {
      this.set(value());
    },
  });
}
