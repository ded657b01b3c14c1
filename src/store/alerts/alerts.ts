import type { Acting } from "../../people/actor.ts";
import { uuidv7 } from "../../runtime/uuid.ts";
import { type RulePlace, ruleTable, type StoredRule } from "../rule-table.ts";
import type { Database } from "../store.ts";
import type { AlertRule } from "./alert-rule.ts";
import { type Channel, toChannel } from "./channels.ts";

export interface Alert extends Omit<AlertRule, "channels">, StoredRule {
  readonly channels: readonly Channel[];
  readonly checked_at: number | null;
  /** Why the last check failed. */
  readonly error: string | null;
}

/** A group of an alert that fires. The group is names and values as `group_by` has them. */
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

/** An organization has so many at most: each is a query at every check. */
const ALERTS_MAX = 500;

/** `checked_at` is written by who checks. */
const ALERTS = ruleTable<Alert>("alerts", {
  columns: [
    ...(["id", "organization_id", "name", "metric", "comparison", "threshold", "window_seconds", "filter"] as const),
    ...(["calendar", "time_zone"] as const),
    ...([
      "group_by",
      "minimum_requests",
      "cooldown_seconds",
      "channels",
      "enabled",
      "created_at",
      "updated_at",
    ] as const),
    "error",
  ],
  json: ["filter", "group_by", "channels"],
  flags: ["enabled"],
  max: ALERTS_MAX,
  // Secrets of channels are masked by their name.
  noted: { noun: "alert", nameOf: ({ name }) => name, shown: ({ checked_at: _, error: __, ...alert }) => alert },
});

export const { list: listAlerts, find: findAlert } = ALERTS;

/** Groups that fire now, of one alert or of all alerts of an organization. */
export async function firingOf(
  records: Database,
  { alertId, organizationId }: { readonly alertId?: string; readonly organizationId?: string },
): Promise<Firing[]> {
  const rows = await records.query<Omit<Firing, "group"> & { readonly group: string }>({
    sql: `select * from alert_states where (?1 is null or alert_id = ?1)
      and (?2 is null or alert_id in (select id from alerts where organization_id = ?2)) order by triggered_at`,
    args: [alertId ?? null, organizationId ?? null],
  });
  return rows.map((row) => ({ ...row, group: JSON.parse(row.group) as Group }));
}

/** What became of an alert, the newest first. */
export async function alertHistory(
  records: Database,
  alertId: string,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<AlertEvent[]> {
  const sql = `select id, kind, "group", value, threshold, requests, reason, created_at from alert_events
    where alert_id = ? order by created_at desc, id desc limit ? offset ?`;
  const rows = await records.query<Omit<AlertEvent, "group"> & { readonly group: string }>({
    sql,
    args: [alertId, limit, offset],
  });
  return rows.map((row) => ({ ...row, group: JSON.parse(row.group) as Group }));
}

/**
 * Stores an alert, a new one or in place of `previous`. A channel that was there keeps its id and its secret.
 *
 * @returns it, and ids of channels whose secret is new: the caller shows those, once.
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

/** Removes an alert with its history and all that is still to be delivered of it. */
export async function removeAlert(records: Database, alert: Alert, by: Acting): Promise<void> {
  const { id } = alert;
  await ALERTS.remove(records, alert, by, [
    { sql: "delete from deliveries where source_id = ?", args: [id] },
    { sql: "delete from alert_states where alert_id = ?", args: [id] },
    { sql: "delete from alert_events where alert_id = ?", args: [id] },
  ]);
}
