import { and, desc, eq, lt } from "drizzle-orm";
import { messageOf } from "../../log.ts";
import { alertEvents, alertStates, alerts } from "../../record/tables.ts";
import { over, statementOf } from "../database/builder.ts";
import { patiently } from "../database/while-locked.ts";
import type { Database, Statement } from "../store.ts";
import type { AlertEvent, Firing, Group } from "./alerts.ts";

const HISTORY_MS = 90 * 86_400_000;

const stateOf = (alertId: string, group: Group) => and(eq(alertStates.alert_id, alertId), eq(alertStates.group, group));

/** Id of the newest event of a group; empty when there is none. */
export async function lastEvent(records: Database, alertId: string, group: Group): Promise<string> {
  const { id, alert_id, group: of, created_at } = alertEvents;
  const last = await over(records)
    .select({ id })
    .from(alertEvents)
    .where(and(eq(alert_id, alertId), eq(of, group)))
    .orderBy(desc(created_at), desc(id))
    .limit(1)
    .get();
  return last?.id ?? "";
}

/**
 * Stores an event, the new state of its group and its deliveries in one transaction.
 *
 * @returns false when another process has already stored an event after `previous`.
 */
export async function noteEvent(
  records: Database,
  event: AlertEvent & { readonly alert_id: string; readonly previous: string },
  deliveries: readonly Statement[],
): Promise<boolean> {
  const db = over(records);
  const { alert_id, group, id: event_id, value, created_at } = event;
  const state =
    event.kind === "resolved"
      ? db.delete(alertStates).where(stateOf(alert_id, group))
      : db
          .insert(alertStates)
          .values({ alert_id, group, event_id, value, triggered_at: created_at, held_at: created_at });
  const statements = [db.insert(alertEvents).values(event), state].map(statementOf);
  try {
    await patiently(() => records.batch([...statements, ...deliveries]));
    return true;
  } catch (error) {
    if (!/UNIQUE constraint failed: alert_events/.test(messageOf(error))) throw error;
    return false;
  }
}

/** Notes that groups are still firing. */
export async function noteHeld(
  records: Database,
  alertId: string,
  held: readonly Pick<Firing, "group" | "value">[],
  now: number,
): Promise<void> {
  const changes = held.map(({ group, value }) =>
    statementOf(over(records).update(alertStates).set({ held_at: now, value }).where(stateOf(alertId, group))),
  );
  if (changes.length > 0) await patiently(() => records.batch(changes));
}

/** Notes that an alert was checked, and its error if the check failed; deletes its old events. */
export async function noteCheck(records: Database, alertId: string, error: string | null): Promise<void> {
  const db = over(records);
  const now = Date.now();
  const old = and(eq(alertEvents.alert_id, alertId), lt(alertEvents.created_at, now - HISTORY_MS));
  const check = db.update(alerts).set({ checked_at: now, error }).where(eq(alerts.id, alertId));
  await patiently(() => db.batch([check, db.delete(alertEvents).where(old)]));
}
