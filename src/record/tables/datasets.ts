import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** Examples under a name. Each change makes the next version; earlier ones can still be read. */
export const datasets = sqliteTable(
  "datasets",
  {
    id: text().primaryKey(),
    organization_id: text().notNull(),
    name: text().notNull(),
    description: text().notNull(),
    /** 0 of one that nothing was ever put into. */
    version: integer().notNull(),
    /** Name of the user or key that made it. */
    created_by: text().notNull(),
    created_at: integer().notNull(),
    updated_at: integer().notNull(),
  },
  (t) => [uniqueIndex("datasets_name").on(t.organization_id, t.name)],
);

/** One state of an example: it holds in versions from `since` up to, and without, `until`. */
export const datasetItems = sqliteTable(
  "dataset_items",
  {
    dataset_id: text().notNull(),
    /** A UUIDv7: in the order in which they were added. */
    id: text().notNull(),
    since: integer().notNull(),
    /** Null while it holds. */
    until: integer(),
    /** The request that it was made of; the texts are a copy. */
    request_id: text(),
    /** JSON text: `messages` and `tools` as OpenAI's chat completions have them. */
    input: text().notNull(),
    /** JSON text of the assistant's message; null where it is open what would be right. */
    output: text(),
    /** JSON text: a list of words. */
    labels: text().notNull(),
    note: text().notNull(),
    created_at: integer().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.dataset_id, t.id, t.since] }),
    index("dataset_items_request").on(t.request_id).where(sql`request_id is not null`),
  ],
);
