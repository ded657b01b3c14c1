import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** How long an organization keeps its data; null for the configured time, 0 for ever. */
export const retention = sqliteTable("retention", {
  organization_id: text().primaryKey(),
  days: integer(),
  body_days: integer(),
  properties: text({ mode: "json" }).notNull(),
  /** When a user requested an immediate run; null when that is done. */
  ordered_at: integer(),
  updated_at: integer().notNull(),
});

/** The last run for each organization; an empty id stands for data that belongs to none. */
export const retentionRuns = sqliteTable("retention_runs", {
  organization_id: text().primaryKey(),
  started_at: integer().notNull(),
  finished_at: integer(),
  records_removed: integer().notNull(),
  bodies_removed: integer().notNull(),
  orphans_removed: integer().notNull(),
  bytes_freed: integer().notNull(),
  error: text(),
});

/** Records by UTC day (days since 1970) and organization, with the bytes of their bodies on the wire. */
export const storageDays = sqliteTable(
  "storage_days",
  {
    day: integer().notNull(),
    organization_id: text().notNull(),
    records: integer().notNull(),
    bytes: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.day, t.organization_id] })],
);

/** One row: the `seq` up to which records are counted there. */
export const storageCounted = sqliteTable("storage_counted", {
  id: integer().primaryKey(),
  seq: integer().notNull(),
});
