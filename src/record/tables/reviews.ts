import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Queues of records that people score. `scores` is JSON text. Times are milliseconds since 1970. */
export const reviews = sqliteTable(
  "reviews",
  {
    id: text().primaryKey(),
    organization_id: text().notNull(),
    name: text().notNull(),
    scores: text({ mode: "json" }).notNull(),
    /** `newest`, `oldest` or `random`. */
    sequence: text().notNull(),
    /** Number of reviews that each record needs. */
    reviewers: integer().notNull(),
    created_at: integer().notNull(),
    updated_at: integer().notNull(),
  },
  (t) => [index("reviews_organizations").on(t.organization_id)],
);

/** The records of a queue; deleted with the record. */
export const reviewItems = sqliteTable(
  "review_items",
  {
    review_id: text().notNull(),
    request_id: text().notNull(),
    organization_id: text().notNull(),
    request_created_at: integer().notNull(),
    /** Sort key if the order is random. */
    shuffle: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.review_id, t.request_id] }), index("review_items_requests").on(t.request_id)],
);

/** Each reviewer's work on a record of a queue; the scores are also in `ratings`. */
export const reviewAnswers = sqliteTable(
  "review_answers",
  {
    review_id: text().notNull(),
    request_id: text().notNull(),
    /** Id of the user or key. */
    reviewer: text().notNull(),
    organization_id: text().notNull(),
    /** Name of the reviewer at that time. */
    author: text().notNull(),
    state: text({ enum: ["leased", "done", "skipped"] }).notNull(),
    /** JSON text: the given values, by the names of the scores. */
    scores: text({ mode: "json" }).notNull(),
    reason: text(),
    /** Until when the record is reserved for this reviewer. */
    leased_until: integer().notNull(),
    created_at: integer().notNull(),
    updated_at: integer().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.review_id, t.request_id, t.reviewer] }),
    index("review_answers_requests").on(t.request_id),
  ],
);
