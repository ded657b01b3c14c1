import { sql } from "drizzle-orm";
import { index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Models and their mapping state, counted by the recorder. */
export const models = sqliteTable(
  "models",
  {
    organization_id: text().notNull(),
    provider: text().notNull(),
    model: text().notNull(),
    state: text({ enum: ["pending", "mapped"] }).notNull(),
    count: integer().notNull(),
    since: integer().notNull(),
    reason: text(),
    /** When a user requested immediate mapping; null when that is done. */
    expedited_at: integer(),
  },
  (t) => [primaryKey({ columns: [t.organization_id, t.provider, t.model] })],
);

/**
 * Every version of every mapping, newest last. A model is read with the mapping that is `active` (found by the mapper with
 * confidence) or `approved` (by an admin); a `draft` waits for approval.
 */
export const mappings = sqliteTable(
  "mappings",
  {
    organization_id: text().notNull(),
    provider: text().notNull(),
    model: text().notNull(),
    version: integer().notNull(),
    state: text({ enum: ["draft", "active", "approved", "replaced", "replaced approved", "rolled back"] }).notNull(),
    origin: text({ enum: ["inferred", "edited"] }).notNull(),
    mapping: text({ mode: "json" }).notNull(),
    confidence: real().notNull(),
    samples: integer().notNull(),
    created_at: integer().notNull(),
    updated_at: integer().notNull(),
    /** The time of the last record that was read again; 0 at the start, null when all are done. */
    reread_after: integer(),
    /** The id of that record. */
    reread_id: text(),
  },
  (t) => [
    primaryKey({ columns: [t.organization_id, t.provider, t.model, t.version] }),
    index("mappings_reread").on(t.reread_after).where(sql`reread_after is not null`),
  ],
);

/** An organization's own price of a model, set by its admin, as JSON text. */
export const prices = sqliteTable(
  "prices",
  {
    organization_id: text().notNull(),
    provider: text().notNull(),
    model: text().notNull(),
    price: text({ mode: "json" }).notNull(),
    updated_at: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.organization_id, t.provider, t.model] })],
);
