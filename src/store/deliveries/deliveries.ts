import { uuidv7 } from "../../runtime/uuid.ts";
import type { Database, Statement } from "../store.ts";

/** Something that somebody is to be told, or was. */
export interface Delivery {
  readonly id: string;
  readonly organization_id: string;
  readonly kind: "alert" | "request" | "test" | "audit";
  readonly source_id: string;
  readonly endpoint_id: string;
  readonly subject_id: string;
  readonly payload: string | null;
  readonly state: "pending" | "delivered" | "failed";
  readonly attempts: number;
  readonly next_attempt_at: number;
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly created_at: number;
  readonly finished_at: number | null;
}

export type NewDelivery = Pick<
  Delivery,
  "organization_id" | "kind" | "source_id" | "endpoint_id" | "subject_id" | "payload"
> & { readonly id?: string };

/** The statement that puts one into the queue; one whose id is there already is left alone. */
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

/** Of one alert or webhook, the newest first. */
export async function listDeliveries(
  records: Database,
  sourceId: string,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<Delivery[]> {
  const sql = "select * from deliveries where source_id = ? order by created_at desc, id desc limit ? offset ?";
  return records.query<Delivery>({ sql, args: [sourceId, limit, offset] });
}

export async function deliveriesByIds(records: Database, ids: readonly string[]): Promise<Delivery[]> {
  const sql = "select * from deliveries where id in (select value from json_each(?)) order by created_at, id";
  return records.query<Delivery>({ sql, args: [JSON.stringify(ids)] });
}
