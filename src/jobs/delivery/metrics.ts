import { Counter, Gauge, Registry } from "prom-client";
import { type Attempt, waitingDeliveries } from "../../store/deliveries/delivery-queue.ts";
import type { Database } from "../../store/store.ts";

const COUNT_MS = 500;

/** Numbers of the delivery queue: deliveries sent by this process, and those waiting in the database for any node. */
export class DeliveryMetrics {
  readonly #registry = new Registry();
  readonly #attempts = new Counter({
    name: "weir_deliveries_total",
    help: "Attempts to tell webhooks and alert channels, by outcome; failed ones are not tried again.",
    labelNames: ["outcome"],
    registers: [this.#registry],
  });
  readonly #waiting = new Gauge({
    name: "weir_deliveries_waiting",
    help: "Deliveries in the database that are to be sent or tried again.",
    registers: [this.#registry],
  });
  readonly #oldest = new Gauge({
    name: "weir_deliveries_oldest_seconds",
    help: "How long the oldest of them has waited; 0 where there is none.",
    registers: [this.#registry],
  });

  constructor() {
    for (const outcome of ["delivered", "retried", "failed"]) this.#attempts.inc({ outcome }, 0);
  }

  settled(attempts: readonly Attempt[]): void {
    for (const { failure } of attempts) {
      const outcome = failure === null ? "delivered" : failure.retryAt === undefined ? "failed" : "retried";
      this.#attempts.inc({ outcome });
    }
  }

  gaveUp(count: number): void {
    this.#attempts.inc({ outcome: "failed" }, count);
  }

  /** Prometheus text. If the database cannot be read, the values are the last known ones. */
  async text(records: Database): Promise<string> {
    await waitingDeliveries(records, COUNT_MS).then(
      ({ waiting, since }) => {
        this.#waiting.set(waiting);
        this.#oldest.set(since === null ? 0 : Math.max(0, Date.now() - since) / 1_000);
      },
      () => undefined, // /readyz reports the cause
    );
    return this.#registry.metrics();
  }
}
