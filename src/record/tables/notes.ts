import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** Users' comments on requests; deleted with the record. */
export const comments = sqliteTable(
  "comments",
  {
    request_id: text().notNull(),
    /** A UUIDv7: ordered by the time of writing. */
    id: text().notNull(),
    organization_id: text().notNull(),
    /** The author, `key:<id>`, and the author's name at that time. */
    author_id: text().notNull(),
    author_name: text().notNull(),
    text: text().notNull(),
    created_at: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.request_id, t.id] })],
);

/** Links that show a request or a session without an account. Of the token only the SHA-256 is stored. */
export const sharedLinks = sqliteTable(
  "shared_links",
  {
    id: text().primaryKey(),
    token_hash: text().notNull(),
    organization_id: text().notNull(),
    kind: text({ enum: ["request", "session"] }).notNull(),
    /** Id of the request or the session. */
    subject: text().notNull(),
    /** The owner, `key:<id>`, and the owner's name at that time. */
    owner_id: text().notNull(),
    owner_name: text().notNull(),
    created_at: integer().notNull(),
    expires_at: integer().notNull(),
  },
  (t) => [uniqueIndex("shared_links_token").on(t.token_hash), index("shared_links_subject").on(t.subject)],
);

/**
 * Source, time and reason of each score of a record; deleted with the record. The score that counts is the one in the
 * record.
 */
export const ratings = sqliteTable(
  "ratings",
  {
    request_id: text().notNull(),
    /** Name of the score. */
    name: text().notNull(),
    /** `key:<id>`, `user:<id>`, `plugin:<name>`, `judge:<id>` or `reviewer:<id>`. */
    source: text().notNull(),
    organization_id: text().notNull(),
    /** Name of the source at that time. */
    author: text().notNull(),
    value: real().notNull(),
    /** The chosen word, if the score is a choice of words. */
    label: text(),
    reason: text(),
    created_at: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.request_id, t.name, t.source] })],
);
