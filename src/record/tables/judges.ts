import { sql } from "drizzle-orm";
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** Models that score records. `scores`, `filter` and `budget` are JSON text. Times are milliseconds since 1970. */
export const judges = sqliteTable(
  "judges",
  {
    id: text().primaryKey(),
    organization_id: text().notNull(),
    name: text().notNull(),
    enabled: integer({ mode: "boolean" }).notNull(),
    /** As written at the unified address. */
    model: text().notNull(),
    /** The service key with which its calls are made. */
    key_id: text().notNull(),
    prompt: text().notNull(),
    scores: text({ mode: "json" }).notNull(),
    filter: text({ mode: "json" }).notNull(),
    /** Percent. */
    share: real().notNull(),
    budget: text({ mode: "json" }).notNull(),
    reference: text(),
    created_at: integer().notNull(),
    updated_at: integer().notNull(),
    /** Consecutive failed calls. */
    failures: integer().notNull().default(0),
    problem: text(),
    problem_at: integer(),
    rests_until: integer(),
    /** Requests of its share that it skipped because its queue was full. */
    left_out: integer().notNull().default(0),
  },
  (t) => [uniqueIndex("judges_name").on(t.organization_id, t.name)],
);

/** Records that a judge has judged or will judge; deleted with the record. */
export const judgements = sqliteTable(
  "judgements",
  {
    judge_id: text().notNull(),
    request_id: text().notNull(),
    organization_id: text().notNull(),
    /**
     * `new`: not yet decided whether to judge it. `waiting`: to be judged. `asking`: the call is in progress. `skipped`:
     * there was nothing to judge.
     */
    state: text({ enum: ["new", "waiting", "asking", "done", "failed", "skipped"] }).notNull(),
    /** The expected response, if it comes from something other than a property. */
    reference: text(),
    /** The record of the last call. */
    call_id: text(),
    attempts: integer().notNull().default(0),
    /** US dollars of all its calls. */
    cost: real(),
    error: text(),
    created_at: integer().notNull(),
    updated_at: integer().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.judge_id, t.request_id] }),
    index("judgements_states").on(t.judge_id, t.state, t.created_at),
    index("judgements_spent").on(t.judge_id, t.updated_at, t.cost).where(sql`cost is not null`),
    index("judgements_calls").on(t.call_id).where(sql`call_id is not null`),
    index("judgements_requests").on(t.request_id),
  ],
);
