import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Saved dashboards. `owner_id` is `key:<id>` or `user:<id>`; `terms` is JSON text: panels, filter and the rest. */
export const dashboards = sqliteTable(
  "dashboards",
  {
    id: text().primaryKey(),
    organization_id: text().notNull(),
    owner_id: text().notNull(),
    /** The owner's name when the dashboard was saved. */
    owner_name: text().notNull(),
    name: text().notNull(),
    shared: integer({ mode: "boolean" }).notNull(),
    terms: text({ mode: "json" }).notNull(),
    created_at: integer().notNull(),
    updated_at: integer().notNull(),
  },
  (t) => [index("dashboards_organization").on(t.organization_id, t.created_at)],
);
