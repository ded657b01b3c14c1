import { sql } from "drizzle-orm";
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** An alert of an organization. `filter`, `group_by` and `channels` are JSON text; `channels` contains secrets. */
export const alerts = sqliteTable(
  "alerts",
  {
    id: text().primaryKey(),
    organization_id: text().notNull(),
    name: text().notNull(),
    metric: text().notNull(),
    comparison: text({ enum: ["above", "below"] }).notNull(),
    threshold: real().notNull(),
    window_seconds: integer().notNull(),
    filter: text({ mode: "json" }).notNull(),
    group_by: text({ mode: "json" }).notNull(),
    minimum_requests: integer().notNull(),
    cooldown_seconds: integer().notNull(),
    channels: text({ mode: "json" }).notNull(),
    enabled: integer({ mode: "boolean" }).notNull(),
    created_at: integer().notNull(),
    updated_at: integer().notNull(),
    checked_at: integer(),
    /** Why the last check failed. */
    error: text(),
    /** `day`, `week` or `month` of `time_zone`, instead of a sliding window. */
    calendar: text({ enum: ["day", "week", "month"] }),
    time_zone: text(),
  },
  (t) => [index("alerts_organization").on(t.organization_id, t.created_at)],
);

/** Groups of alerts that are firing; `group` is a JSON object of names and values. */
export const alertStates = sqliteTable(
  "alert_states",
  {
    alert_id: text().notNull(),
    group: text({ mode: "json" }).$type<Readonly<Record<string, string | number | null>>>().notNull(),
    /** The event that started it. */
    event_id: text().notNull(),
    value: real(),
    triggered_at: integer().notNull(),
    /** The last check at which the condition held: the cool-down starts here. */
    held_at: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.alert_id, t.group] })],
);

/**
 * Every trigger and resolution. `previous` is the group's preceding event; unique, so that no two events follow the same
 * one.
 */
export const alertEvents = sqliteTable(
  "alert_events",
  {
    id: text().primaryKey(),
    alert_id: text().notNull(),
    kind: text({ enum: ["triggered", "resolved"] }).notNull(),
    group: text({ mode: "json" }).$type<Readonly<Record<string, string | number | null>>>().notNull(),
    previous: text().notNull(),
    value: real(),
    threshold: real().notNull(),
    requests: integer().notNull(),
    reason: text().notNull(),
    created_at: integer().notNull(),
  },
  (t) => [
    uniqueIndex("alert_events_chain").on(t.alert_id, t.group, t.previous),
    index("alert_events_alert").on(t.alert_id, t.created_at),
  ],
);

/** Webhooks for finished requests. `property_filters` and `fields` are JSON text. */
export const webhooks = sqliteTable(
  "webhooks",
  {
    id: text().primaryKey(),
    organization_id: text().notNull(),
    name: text().notNull(),
    url: text().notNull(),
    secret: text().notNull(),
    property_filters: text({ mode: "json" }).notNull(),
    sample_rate: real().notNull(),
    fields: text({ mode: "json" }).notNull(),
    include_body: integer({ mode: "boolean" }).notNull(),
    enabled: integer({ mode: "boolean" }).notNull(),
    created_at: integer().notNull(),
    updated_at: integer().notNull(),
    /** JSON array of the events that are sent to it. */
    events: text({ mode: "json" }).notNull().default(["request.finished"]),
  },
  (t) => [index("webhooks_organization").on(t.organization_id, t.created_at)],
);

/** Deliveries, pending and finished, with their outcome. */
export const deliveries = sqliteTable(
  "deliveries",
  {
    /** The receiver sees it as `webhook-id`: the same for every attempt. */
    id: text().primaryKey(),
    organization_id: text().notNull(),
    kind: text({ enum: ["alert", "request", "test", "audit"] }).notNull(),
    /** Id of the alert or webhook. */
    source_id: text().notNull(),
    /** Id of the alert's channel, or again of the webhook. */
    endpoint_id: text().notNull(),
    /** Id of the alert's event, or of the request. */
    subject_id: text().notNull(),
    /** JSON text; null if it is created from the record when it is sent. */
    payload: text(),
    state: text({ enum: ["pending", "delivered", "failed"] }).notNull(),
    attempts: integer().notNull(),
    next_attempt_at: integer().notNull(),
    /** The process that is sending it, until `next_attempt_at`. */
    claim: text(),
    last_status: integer(),
    last_error: text(),
    created_at: integer().notNull(),
    finished_at: integer(),
  },
  (t) => [
    index("deliveries_due").on(t.endpoint_id, t.next_attempt_at).where(sql`state = 'pending'`),
    index("deliveries_endpoint").on(t.endpoint_id, t.created_at),
    index("deliveries_source").on(t.source_id, t.created_at),
  ],
);
