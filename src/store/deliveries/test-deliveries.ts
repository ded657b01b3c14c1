import { setTimeout as sleep } from "node:timers/promises";
import { patiently } from "../database/while-locked.ts";
import type { Database } from "../store.ts";
import { type Delivery, deliveriesByIds, enqueue, type NewDelivery } from "./deliveries.ts";

const LOOK_MS = 100;

/**
 * Enqueues test deliveries of an alert or a webhook, one per endpoint.
 *
 * @returns them once each was attempted, or in their state after `waitMs`.
 */
export async function deliverTests(
  { reader, writer }: { readonly reader: Database; readonly writer: Database },
  source: { readonly id: string; readonly organization_id: string },
  tests: readonly Pick<NewDelivery, "endpoint_id" | "payload">[],
  waitMs: number,
): Promise<Delivery[]> {
  const { id: source_id, organization_id } = source;
  const now = Date.now();
  const queued = tests.map((test) =>
    enqueue({ ...test, kind: "test", organization_id, source_id, subject_id: source_id }, now),
  );
  await patiently(() => writer.batch(queued));
  const ids = queued.map(({ id }) => id);
  const endsAt = performance.now() + waitMs;
  for (;;) {
    const found = await deliveriesByIds(reader, ids);
    if (found.every(({ attempts }) => attempts > 0) || performance.now() > endsAt) return found;
    await sleep(LOOK_MS);
  }
}
