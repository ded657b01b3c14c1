import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** How long an organization keeps what; null means as configured, 0 for good. */
export const retention = sqliteTable("retention", {
  organization_id: text().primaryKey(),
  days: integer(),
  body_days: integer(),
  properties: text({ mode: "json" }).notNull(),
  /** When somebody asked for a run at once; null when that is done. */
  ordered_at: integer(),
  updated_at: integer().notNull(),
});

/** The last run for each organization; what belongs to none stands under an empty id. */
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

/** One row: up to which `seq` records are counted there. */
export const storageCounted = sqliteTable("storage_counted", {
  id: integer().primaryKey(),
  seq: integer().notNull(),
});
