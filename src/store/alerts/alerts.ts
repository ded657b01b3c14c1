import { and, desc, eq, getTableColumns, inArray } from "drizzle-orm";
import type { Acting } from "../../people/actor.ts";
import { alertEvents, alertStates, alerts, deliveries } from "../../record/tables.ts";
import { uuidv7 } from "../../runtime/uuid.ts";
import { ifGiven, over } from "../database/builder.ts";
import { type RulePlace, ruleTable, type StoredRule } from "../rule-table.ts";
import type { Database } from "../store.ts";
import type { AlertRule } from "./alert-rule.ts";
import { type Channel, shownChannel, toChannel } from "./channels.ts";

export interface Alert extends Omit<AlertRule, "channels">, StoredRule {
  readonly channels: readonly Channel[];
  readonly checked_at: number | null;
  /** Error of the last check; null when it succeeded. */
  readonly error: string | null;
}

/** A firing group of an alert. A group has the names and values of `group_by`. */
export interface Firing {
  readonly alert_id: string;
  readonly group: Group;
  readonly event_id: string;
  readonly value: number | null;
  readonly triggered_at: number;
  readonly held_at: number;
}

export type Group = Readonly<Record<string, string | number | null>>;

export interface AlertEvent {
  readonly id: string;
  readonly kind: "triggered" | "resolved";
  readonly group: Group;
  readonly value: number | null;
  readonly threshold: number;
  readonly requests: number;
  readonly reason: string;
  readonly created_at: number;
}

/** Maximum per organization: each alert is a query at every check. */
const ALERTS_MAX = 500;

const ALERTS = ruleTable<Alert>(alerts, {
  max: ALERTS_MAX,
  kept: ["checked_at"],
  noted: { noun: "alert", nameOf: ({ name }) => name, shown: notedAlert },
});

/** As the audit log has it: entries cannot be removed, so no channel's secret may be in them. */
function notedAlert({ checked_at: _, error: __, ...alert }: Alert) {
  return { ...alert, channels: alert.channels.map((channel) => shownChannel(channel, "whole")) };
}

export const { list: listAlerts, find: findAlert } = ALERTS;

/** Groups that are firing, of one alert or of all alerts of an organization. */
export async function firingOf(
  records: Database,
  { alertId, organizationId }: { readonly alertId?: string; readonly organizationId?: string },
): Promise<Firing[]> {
  const ofOrganization = (id: string) =>
    inArray(
      alertStates.alert_id,
      over(records).select({ id: alerts.id }).from(alerts).where(eq(alerts.organization_id, id)),
    );
  return over(records)
    .select()
    .from(alertStates)
    .where(
      and(
        ifGiven(alertStates.alert_id, alertId),
        organizationId === undefined ? undefined : ofOrganization(organizationId),
      ),
    )
    .orderBy(alertStates.triggered_at);
}

/** Events of an alert, newest first. */
export async function alertHistory(
  records: Database,
  alertId: string,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<AlertEvent[]> {
  const { alert_id: _, previous: __, ...shown } = getTableColumns(alertEvents);
  return over(records)
    .select(shown)
    .from(alertEvents)
    .where(eq(alertEvents.alert_id, alertId))
    .orderBy(desc(alertEvents.created_at), desc(alertEvents.id))
    .limit(limit)
    .offset(offset);
}

/**
 * Stores an alert, or replaces `previous`. Existing channels keep their ids and secrets.
 *
 * @returns the alert, and ids of channels with a new secret: the caller shows those secrets once.
 */
export async function putAlert(
  records: Database,
  { organizationId, by, previous }: RulePlace<Alert>,
  rule: AlertRule,
): Promise<{ readonly alert: Alert; readonly newSecrets: ReadonlySet<string> }> {
  const now = Date.now();
  const newSecrets = new Set<string>();
  const channels = rule.channels.map((channel, index) =>
    toChannel(channel, `channels.${index}`, previous?.channels ?? [], newSecrets),
  );
  const alert: Alert = {
    ...rule,
    channels,
    id: previous?.id ?? uuidv7(),
    organization_id: organizationId,
    created_at: previous?.created_at ?? now,
    updated_at: now,
    checked_at: previous?.checked_at ?? null,
    error: null,
  };
  await ALERTS.put(records, alert, by, previous);
  return { alert, newSecrets };
}

/** Removes an alert with its history and pending deliveries. */
export async function removeAlert(records: Database, alert: Alert, by: Acting): Promise<void> {
  const { id } = alert;
  const db = over(records);
  await ALERTS.remove(records, alert, by, [
    db.delete(deliveries).where(eq(deliveries.source_id, id)),
    db.delete(alertStates).where(eq(alertStates.alert_id, id)),
    db.delete(alertEvents).where(eq(alertEvents.alert_id, id)),
  ]);
}
