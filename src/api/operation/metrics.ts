import { histogramSamples, metricText } from "../../runtime/metric-text.ts";
import { Buckets, Counter } from "../../runtime/metrics.ts";

const SECONDS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 30];

/** Metrics of the API's own thread. */
export class ApiMetrics {
  readonly #requests = new Counter(
    { name: "weir_api_requests_total", help: "Requests to the API by route and status." },
    [],
  );
  readonly #seconds = new Map<string, Buckets>();

  /** @param route - the path's pattern: paths themselves hold ids, and would grow this table without bound. */
  responded(method: string, route: string, status: number, seconds: number): void {
    this.#requests.add(1, { method, route, status });
    const buckets = this.#seconds.get(route) ?? new Buckets(SECONDS);
    this.#seconds.set(route, buckets);
    buckets.observe(seconds);
  }

  /** Prometheus text. */
  text(): string {
    const name = "weir_api_request_duration_seconds";
    const samples = [...this.#seconds].flatMap(([route, buckets]) => histogramSamples(buckets.counts(), { route }));
    const help = "Time until a response of the API begins.";
    return this.#requests.text() + metricText({ name, help, type: "histogram" }, samples);
  }
}
