import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** What people say about requests; they go with the record. */
export const comments = sqliteTable(
  "comments",
  {
    request_id: text().notNull(),
    /** A UUIDv7: in the order in which they were written. */
    id: text().notNull(),
    organization_id: text().notNull(),
    /** Who wrote it, `key:<id>`, and the name then. */
    author_id: text().notNull(),
    author_name: text().notNull(),
    text: text().notNull(),
    created_at: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.request_id, t.id] })],
);

/** Links under which a request or a session is read without an account. Of the token its SHA-256 alone is kept. */
export const sharedLinks = sqliteTable(
  "shared_links",
  {
    id: text().primaryKey(),
    token_hash: text().notNull(),
    organization_id: text().notNull(),
    kind: text({ enum: ["request", "session"] }).notNull(),
    /** Id of the request or the session. */
    subject: text().notNull(),
    /** Who made it, `key:<id>`, and the name then. */
    owner_id: text().notNull(),
    owner_name: text().notNull(),
    created_at: integer().notNull(),
    expires_at: integer().notNull(),
  },
  (t) => [uniqueIndex("shared_links_token").on(t.token_hash), index("shared_links_subject").on(t.subject)],
);

/** Who gave a score of a record, when and why; they go with the record. What counts is the score in the record. */
export const ratings = sqliteTable(
  "ratings",
  {
    request_id: text().notNull(),
    /** Of the score. */
    name: text().notNull(),
    /** `key:<id>`, `user:<id>`, `plugin:<name>`, `judge:<id>` or `reviewer:<id>`. */
    source: text().notNull(),
    organization_id: text().notNull(),
    /** Name of the source then. */
    author: text().notNull(),
    value: real().notNull(),
    /** The word that was chosen, where a score is chosen from words. */
    label: text(),
    reason: text(),
    created_at: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.request_id, t.name, t.source] })],
);
