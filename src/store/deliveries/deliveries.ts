import { desc, eq } from "drizzle-orm";
import { deliveries } from "../../record/tables.ts";
import { uuidv7 } from "../../runtime/uuid.ts";
import { isOneOf, over } from "../database/builder.ts";
import type { Database, Statement } from "../store.ts";

/** A notification that is to be delivered, or was. */
export type Delivery = typeof deliveries.$inferSelect;

export type NewDelivery = Pick<
  Delivery,
  "organization_id" | "kind" | "source_id" | "endpoint_id" | "subject_id" | "payload"
> & { readonly id?: string };

/**
 * The statement that enqueues a delivery, unless one with its id exists. Its text is always the same, because the recorder
 * adds one for each request that a webhook subscribes to.
 */
export function enqueue(delivery: NewDelivery, now: number): Statement & { readonly id: string } {
  const id = delivery.id ?? `msg_${uuidv7(now)}`;
  const { organization_id, kind, source_id, endpoint_id, subject_id, payload } = delivery;
  return {
    id,
    sql: `insert into deliveries (id, organization_id, kind, source_id, endpoint_id, subject_id, payload, state, attempts,
      next_attempt_at, created_at) values (?, ?, ?, ?, ?, ?, ?, 'pending', 0, ?, ?) on conflict do nothing`,
    args: [id, organization_id, kind, source_id, endpoint_id, subject_id, payload, now, now],
  };
}

/** Deliveries of one alert or webhook, newest first. */
export async function listDeliveries(
  records: Database,
  sourceId: string,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<Delivery[]> {
  return over(records)
    .select()
    .from(deliveries)
    .where(eq(deliveries.source_id, sourceId))
    .orderBy(desc(deliveries.created_at), desc(deliveries.id))
    .limit(limit)
    .offset(offset);
}

export async function deliveriesByIds(records: Database, ids: readonly string[]): Promise<Delivery[]> {
  const { id, created_at } = deliveries;
  return over(records).select().from(deliveries).where(isOneOf(id, ids)).orderBy(created_at, id);
}
