import { Counter, Histogram, Registry } from "prom-client";

/** Numbers of the API's own thread. */
export class ApiMetrics {
  readonly #registry = new Registry();
  readonly #requests = new Counter({
    name: "weir_api_requests_total",
    help: "Requests to the API by route and status.",
    labelNames: ["method", "route", "status"],
    registers: [this.#registry],
  });
  readonly #seconds = new Histogram({
    name: "weir_api_request_duration_seconds",
    help: "Time until an answer of the API begins.",
    labelNames: ["route"],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 30],
    registers: [this.#registry],
  });

  /** @param route - the path's pattern: paths themselves hold ids, and would grow this table without bound. */
  answered(method: string, route: string, status: number, seconds: number): void {
    this.#requests.inc({ method, route, status });
    this.#seconds.observe({ route }, seconds);
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }
}
