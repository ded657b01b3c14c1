import type { RequestEnd } from "../plugin-host/contract.ts";
import { type Distribution, metricText } from "../runtime/metric-text.ts";
import { Buckets, countText, gaugeText, histogramText } from "../runtime/metrics.ts";
import type { Outcome, SpoolStats } from "../spool/frame.ts";
import type { GatewayCounts } from "../threads.ts";
import type { BudgetCounts } from "./body/budget.ts";
import type { CacheCounts } from "./cache/response-cache.ts";
import type { UnifiedParts } from "./unified/unified-parts.ts";

/** Seconds. The first buckets are for the gateway's own time, the last ones for slow models. */
const OVERHEAD_BUCKETS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1];
const FIRST_BYTE_BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** First digits of a status of up to three digits. */
const STATUS_CLASSES = 10;

/** When an exchange started and was forwarded for the first time, in milliseconds since 1970. */
interface Started {
  readonly startedAt: number;
  readonly firstForwardedAt: number | undefined;
}

/** The try that got the response: when it was forwarded and responded, in milliseconds since 1970, and the bodies' bytes. */
interface Relayed {
  readonly forwardedAt: number | undefined;
  readonly firstByteAt: number | undefined;
  readonly requestBytes: number;
  readonly responseBytes: number;
}

/** Sources that are read when the text is written. */
interface Watched {
  readonly inFlight: () => number;
  readonly spool: () => SpoolStats;
  readonly cache: () => CacheCounts;
  readonly bodies: () => BudgetCounts;
  readonly unified: Pick<UnifiedParts, "metrics" | "rests">;
  /** The server that divides limits among nodes, if configured. */
  readonly limits?: { readonly degraded: readonly string[] } | undefined;
}

/** Counts in plain numbers while requests pass, and formats them on request. */
export class GatewayMetrics {
  /** Ended exchanges by provider, then by outcome, then by the first digit of the status. */
  readonly #ended = new Map<string, Map<Outcome, number[]>>();
  readonly #overhead = new Buckets(OVERHEAD_BUCKETS);
  readonly #firstByte = new Buckets(FIRST_BYTE_BUCKETS);
  readonly #watched: Watched;
  #requestBytes = 0;
  #responseBytes = 0;

  constructor(watched: Watched) {
    this.#watched = watched;
  }

  /**
   * Counts an exchange that has ended.
   *
   * @param provider - a loaded provider's name or CUSTOM, never a name made up by a client.
   */
  count(provider: string, { status, outcome }: RequestEnd, started: Started, relayed: Relayed): void {
    this.#classesOf(provider, outcome)[Math.floor(status / 100)]!++;
    this.#requestBytes += relayed.requestBytes;
    this.#responseBytes += relayed.responseBytes;
    const { startedAt, firstForwardedAt } = started;
    const { forwardedAt, firstByteAt } = relayed;
    if (firstForwardedAt === undefined || forwardedAt === undefined) return;
    this.#overhead.observe((firstForwardedAt - startedAt) / 1_000);
    if (firstByteAt !== undefined) this.#firstByte.observe((firstByteAt - forwardedAt) / 1_000);
  }

  counts(): GatewayCounts {
    const { exchangesDropped, bytesWritten, healthy } = this.#watched.spool();
    return {
      requests: new Map(this.#endedByText()),
      requestBytes: this.#requestBytes,
      responseBytes: this.#responseBytes,
      inFlight: this.#watched.inFlight(),
      wholeBodies: this.#watched.bodies(),
      exchangesDropped,
      spoolBytes: bytesWritten,
      spoolHealthy: healthy,
      overhead: this.#overhead.counts(),
      firstByte: this.#firstByte.counts(),
    };
  }

  /** Counts of one provider and outcome, by the first digit of the status. Few and kept, so no key is built per request. */
  #classesOf(provider: string, outcome: Outcome): number[] {
    let ofProvider = this.#ended.get(provider);
    if (ofProvider === undefined) {
      ofProvider = new Map();
      this.#ended.set(provider, ofProvider);
    }
    let classes = ofProvider.get(outcome);
    if (classes === undefined) {
      classes = new Array<number>(STATUS_CLASSES).fill(0);
      ofProvider.set(outcome, classes);
    }
    return classes;
  }

  *#endedByText(): Generator<[string, number]> {
    for (const [provider, outcomes] of this.#ended)
      for (const [outcome, classes] of outcomes)
        for (const [digit, count] of classes.entries())
          if (count > 0) yield [`${provider} ${digit}xx ${outcome}`, count];
  }

  /** Prometheus text. @param others - counts of the other gateway threads. */
  text(others: readonly GatewayCounts[] = []): string {
    const { cache, unified, limits } = this.#watched;
    const all = others.reduce(sumOf, this.counts());
    return [
      requestsText(all),
      cacheText(cache()),
      unified.metrics.text(unified.rests.health(Date.now())),
      spoolText(all),
      limits === undefined
        ? ""
        : gaugeText(
            "weir_limits_server_up",
            "1 while the limits server divides limits among nodes, 0 while the database does it in its place.",
            limits.degraded.length === 0 ? 1 : 0,
          ),
      histogramText("weir_gateway_overhead_seconds", "From a request's arrival to its passing on.", all.overhead),
      histogramText("weir_gateway_first_byte_seconds", "From passing on to the first body byte.", all.firstByte),
    ].join("");
  }
}

function requestsText({ requests, requestBytes, responseBytes, inFlight, wholeBodies }: GatewayCounts): string {
  const ended = [...requests].map(([key, value]) => {
    const [provider = "", status = "", outcome = ""] = key.split(" ");
    return { labels: { provider, status, outcome }, value };
  });
  return [
    metricText(
      {
        name: "weir_gateway_requests_total",
        help: "Requests that have ended, refused ones included.",
        type: "counter",
      },
      ended,
    ),
    metricText({ name: "weir_gateway_bytes_total", help: "Body bytes that passed.", type: "counter" }, [
      { labels: { direction: "request" }, value: requestBytes },
      { labels: { direction: "response" }, value: responseBytes },
    ]),
    gaugeText("weir_gateway_in_flight", "Requests that are being served.", inFlight),
    gaugeText("weir_gateway_whole_body_bytes", "Memory of request bodies that are held completely.", wholeBodies.bytes),
    gaugeText(
      "weir_gateway_whole_bodies_waiting",
      "Requests that wait for memory for their bodies.",
      wholeBodies.waiting,
    ),
    countText(
      "weir_gateway_whole_bodies_refused_total",
      "Requests that found no memory for their bodies: 503 bodies_full.",
      wholeBodies.refused,
    ),
  ].join("");
}

function spoolText({ exchangesDropped, spoolBytes, spoolHealthy }: GatewayCounts): string {
  return [
    countText(
      "weir_spool_exchanges_dropped_total",
      "Exchanges that lost their record or a part of it because the spool could not be written.",
      exchangesDropped,
    ),
    countText("weir_spool_bytes_total", "Bytes written to the spool.", spoolBytes),
    gaugeText("weir_spool_healthy", "1 while the spool can be written.", spoolHealthy ? 1 : 0),
  ].join("");
}

function cacheText({ hits, misses, failures, totals }: CacheCounts): string {
  return [
    metricText(
      {
        name: "weir_cache_requests_total",
        help: "Requests with the cache on: served by it, or by their provider.",
        type: "counter",
      },
      [
        { labels: { result: "hit" }, value: hits },
        { labels: { result: "miss" }, value: misses },
      ],
    ),
    countText("weir_cache_failures_total", "Responses that the disk did not take, or not fast enough.", failures),
    gaugeText("weir_cache_bytes", "Bytes of the stored responses.", totals.bytes),
    gaugeText("weir_cache_entries", "Stored responses.", totals.entries),
  ].join("");
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

/** The sum of two distributions with the same bounds. */
function together({ bounds, counts, sum }: Distribution, other: Distribution): Distribution {
  return { bounds, counts: counts.map((count, at) => count + other.counts[at]!), sum: sum + other.sum };
}
