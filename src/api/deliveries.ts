import { type Delivery, deliveriesByIds } from "../store/deliveries.ts";
import type { ApiRoom } from "./room.ts";

/** How long the answer to a test waits for what comes of it. */
const TEST_MS = 10_000;
const LOOK_MS = 100;

/** A delivery as the API shows it. */
export function shownDelivery(delivery: Delivery) {
  const { id, kind, endpoint_id, subject_id, state, attempts, last_status, last_error } = delivery;
  return {
    id,
    kind,
    endpoint_id,
    subject_id: kind === "test" ? null : subject_id,
    state,
    attempts,
    next_attempt_at: state === "pending" ? iso(delivery.next_attempt_at) : null,
    last_status,
    last_error,
    created_at: iso(delivery.created_at),
    finished_at: isoOrNull(delivery.finished_at),
  };
}

/** Deliveries once each was tried, or as they are after ten seconds. */
export async function awaitAttempts({ current }: ApiRoom, ids: readonly string[]): Promise<Delivery[]> {
  const endsAt = performance.now() + TEST_MS;
  for (;;) {
    const found = await deliveriesByIds(current.records, ids);
    if (found.every(({ attempts }) => attempts > 0) || performance.now() > endsAt) return found;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

export function iso(time: number): string {
  return new Date(time).toISOString();
}

export function isoOrNull(time: number | null): string | null {
  return time === null ? null : iso(time);
}
