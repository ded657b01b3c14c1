import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

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
    /** `request` or `session`. */
    kind: text().notNull(),
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
