import { sql } from "drizzle-orm";
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** Examples under a name. Each change makes the next version; earlier ones can still be read. */
export const datasets = sqliteTable(
  "datasets",
  {
    id: text().primaryKey(),
    organization_id: text().notNull(),
    name: text().notNull(),
    description: text().notNull(),
    /** Grows by one with each change of its items; 0 of one that nothing was ever put into. */
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
    /** `messages` and `tools` as OpenAI's chat completions have them. */
    input: text({ mode: "json" }).notNull(),
    /** The assistant's message; null where it is open what would be right. */
    output: text({ mode: "json" }),
    labels: text({ mode: "json" }).$type<readonly string[]>().notNull(),
    note: text().notNull(),
    created_at: integer().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.dataset_id, t.id, t.since] }),
    index("dataset_items_request").on(t.request_id).where(sql`request_id is not null`),
  ],
);

/** A version of a dataset that is sent to one model or several, item by item. */
export const datasetRuns = sqliteTable(
  "dataset_runs",
  {
    /** A UUIDv7. */
    id: text().primaryKey(),
    dataset_id: text().notNull(),
    organization_id: text().notNull(),
    name: text().notNull(),
    version: integer().notNull(),
    /** Only items with this label; null for all. */
    label: text(),
    /** A list of what each item is sent to. */
    targets: text({ mode: "json" }).notNull(),
    /** Concurrency, the most it may cost, retries, whether to stream. */
    settings: text({ mode: "json" }).notNull(),
    /** Items when it was started. */
    items: integer().notNull(),
    state: text({ enum: ["running", "done", "stopped", "cancelled"] }).notNull(),
    /** Why it stopped, or null. */
    reason: text(),
    created_by: text().notNull(),
    /** `key:<id>` or `user:<id>`: for whom it is sent. */
    sender: text().notNull(),
    created_at: integer().notNull(),
    finished_at: integer(),
  },
  (t) => [
    index("dataset_runs_dataset").on(t.dataset_id, t.id),
    index("dataset_runs_running").on(t.id).where(sql`state = 'running'`),
  ],
);

/** What came of one item at one target. */
export const datasetRunResults = sqliteTable(
  "dataset_run_results",
  {
    run_id: text().notNull(),
    item_id: text().notNull(),
    /** Its place in the run's targets, from 0. */
    target: integer().notNull(),
    /** Of the call's record; the metrics are a copy. */
    request_id: text().notNull(),
    ok: integer({ mode: "boolean" }).notNull(),
    status: integer(),
    error: text(),
    /** The assistant's message, or null. */
    output: text({ mode: "json" }),
    provider: text(),
    model: text(),
    prompt_tokens: integer(),
    completion_tokens: integer(),
    cost: real(),
    /** Milliseconds. */
    latency: real(),
    first_token: real(),
    created_at: integer().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.run_id, t.item_id, t.target] }),
    index("dataset_run_results_request").on(t.request_id),
  ],
);
