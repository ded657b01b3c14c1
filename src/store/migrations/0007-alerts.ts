/** Alerts and their events, webhooks, deliveries, and retention. */
export const ALERTS = [
  `create table alerts (
    id text primary key not null,
    organization_id text not null,
    name text not null,
    metric text not null,
    comparison text not null,
    threshold real not null,
    window_seconds integer not null,
    filter text not null,
    group_by text not null,
    minimum_requests integer not null,
    cooldown_seconds integer not null,
    channels text not null,
    enabled integer not null,
    created_at integer not null,
    updated_at integer not null,
    checked_at integer,
    error text
  )`,
  "create index alerts_organization on alerts (organization_id, created_at)",

  `create table alert_states (
    alert_id text not null,
    "group" text not null,
    event_id text not null,
    value real,
    triggered_at integer not null,
    held_at integer not null,
    primary key (alert_id, "group")
  )`,

  `create table alert_events (
    id text primary key not null,
    alert_id text not null,
    kind text not null,
    "group" text not null,
    previous text not null,
    value real,
    threshold real not null,
    requests integer not null,
    reason text not null,
    created_at integer not null
  )`,
  `create unique index alert_events_chain on alert_events (alert_id, "group", previous)`,
  "create index alert_events_alert on alert_events (alert_id, created_at)",

  `create table webhooks (
    id text primary key not null,
    organization_id text not null,
    name text not null,
    url text not null,
    secret text not null,
    property_filters text not null,
    sample_rate real not null,
    fields text not null,
    include_body integer not null,
    enabled integer not null,
    created_at integer not null,
    updated_at integer not null
  )`,
  "create index webhooks_organization on webhooks (organization_id, created_at)",

  `create table deliveries (
    id text primary key not null,
    organization_id text not null,
    kind text not null,
    source_id text not null,
    endpoint_id text not null,
    subject_id text not null,
    payload text,
    state text not null,
    attempts integer not null,
    next_attempt_at integer not null,
    claim text,
    last_status integer,
    last_error text,
    created_at integer not null,
    finished_at integer
  )`,
  "create index deliveries_due on deliveries (endpoint_id, next_attempt_at) where state = 'pending'",
  "create index deliveries_endpoint on deliveries (endpoint_id, created_at)",
  "create index deliveries_source on deliveries (source_id, created_at)",

  `create table retention (
    organization_id text primary key not null,
    days integer,
    body_days integer,
    properties text not null,
    ordered_at integer,
    updated_at integer not null
  )`,
  `create table retention_runs (
    organization_id text primary key not null,
    started_at integer not null,
    finished_at integer,
    records_removed integer not null,
    bodies_removed integer not null,
    orphans_removed integer not null,
    bytes_freed integer not null,
    error text
  )`,
];
