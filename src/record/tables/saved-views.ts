import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Saved views of the request list. `owner_id` is `key:<id>`; `terms` is JSON text: filter, columns and the rest. */
export const savedViews = sqliteTable(
  "saved_views",
  {
    id: text().primaryKey(),
    organization_id: text().notNull(),
    owner_id: text().notNull(),
    /** The owner's name when the view was saved. */
    owner_name: text().notNull(),
    name: text().notNull(),
    shared: integer({ mode: "boolean" }).notNull(),
    terms: text({ mode: "json" }).notNull(),
    created_at: integer().notNull(),
    updated_at: integer().notNull(),
  },
  (t) => [index("saved_views_organization").on(t.organization_id, t.created_at)],
);
