import { isoTime, isoTimeOrNull } from "../../record/iso-time.ts";
import type { Delivery } from "./deliveries.ts";

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
    next_attempt_at: state === "pending" ? isoTime(delivery.next_attempt_at) : null,
    last_status,
    last_error,
    created_at: isoTime(delivery.created_at),
    finished_at: isoTimeOrNull(delivery.finished_at),
  };
}
