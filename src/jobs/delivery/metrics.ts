import { Counter, gaugeText } from "../../runtime/metrics.ts";
import { type Attempt, waitingDeliveries } from "../../store/deliveries/delivery-queue.ts";
import type { Database } from "../../store/store.ts";

const COUNT_MS = 500;
const OUTCOMES = ["delivered", "retried", "failed"] as const;

/** Metrics of the delivery queue: deliveries sent by this process, and those waiting in the database for any node. */
export class DeliveryMetrics {
  readonly #attempts = new Counter(
    {
      name: "weir_deliveries_total",
      help: "Attempts to notify webhooks and alert channels, by outcome; failed ones are not retried.",
    },
    OUTCOMES.map((outcome) => ({ outcome })),
  );
  #waiting = 0;
  #oldestSeconds = 0;

  settled(attempts: readonly Attempt[]): void {
    for (const { failure } of attempts) {
      const outcome = failure === null ? "delivered" : failure.retryAt === undefined ? "failed" : "retried";
      this.#attempts.add(1, { outcome });
    }
  }

  gaveUp(count: number): void {
    this.#attempts.add(count, { outcome: "failed" });
  }

  /** Prometheus text. If the database cannot be read, the values are the last known ones. */
  async text(records: Database): Promise<string> {
    await waitingDeliveries(records, COUNT_MS).then(
      ({ waiting, since }) => {
        this.#waiting = waiting;
        this.#oldestSeconds = since === null ? 0 : Math.max(0, Date.now() - since) / 1_000;
      },
      () => undefined, // /readyz reports the cause
    );
    return [
      this.#attempts.text(),
      gaugeText("weir_deliveries_waiting", "Deliveries in the database that are to be sent or retried.", this.#waiting),
      gaugeText(
        "weir_deliveries_oldest_seconds",
        "How long the oldest of them has waited; 0 without one.",
        this.#oldestSeconds,
      ),
    ].join("");
  }
}
