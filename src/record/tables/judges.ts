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
    /** As at the unified address. */
    model: text().notNull(),
    /** The service key that its calls are made with. */
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
    /** Calls that failed one after the other. */
    failures: integer().notNull().default(0),
    problem: text(),
    problem_at: integer(),
    rests_until: integer(),
    /** Requests of its share that came while its line was full. */
    left_out: integer().notNull().default(0),
  },
  (t) => [uniqueIndex("judges_name").on(t.organization_id, t.name)],
);

/** Which records a judge has judged or is to judge; they go with the record. */
export const judgements = sqliteTable(
  "judgements",
  {
    judge_id: text().notNull(),
    request_id: text().notNull(),
    organization_id: text().notNull(),
    /**
     * `new`: it is not known yet whether it is to be judged. `waiting`: it is to be judged. `asking`: the call is under way. `skipped`:
     * there was nothing to judge.
     */
    state: text({ enum: ["new", "waiting", "asking", "done", "failed", "skipped"] }).notNull(),
    /** What the response should have been, where that is known otherwise than by a property. */
    reference: text(),
    /** The record of the last call. */
    call_id: text(),
    attempts: integer().notNull().default(0),
    /** US dollars of all calls for it. */
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
