import { sql } from "drizzle-orm";
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** Named sets of examples. Each change creates the next version; earlier versions can still be read. */
export const datasets = sqliteTable(
  "datasets",
  {
    id: text().primaryKey(),
    organization_id: text().notNull(),
    name: text().notNull(),
    description: text().notNull(),
    /** Grows by one with each change of its items; 0 if it has never had any. */
    version: integer().notNull(),
    /** Name of the user or key that created it. */
    created_by: text().notNull(),
    created_at: integer().notNull(),
    updated_at: integer().notNull(),
  },
  (t) => [uniqueIndex("datasets_name").on(t.organization_id, t.name)],
);

/** One state of an example: valid from version `since` up to, but not including, `until`. */
export const datasetItems = sqliteTable(
  "dataset_items",
  {
    dataset_id: text().notNull(),
    /** A UUIDv7: ordered by the time of adding. */
    id: text().notNull(),
    since: integer().notNull(),
    /** Null while it is valid. */
    until: integer(),
    /** The request from which it was made; its texts are copies. */
    request_id: text(),
    /** `messages` and `tools`, as in OpenAI's chat completions. */
    input: text({ mode: "json" }).notNull(),
    /** The assistant's message; null if the right one is not known. */
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

/** A version of a dataset that is sent to one or more models, item by item. */
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
    /** The list of targets to which each item is sent. */
    targets: text({ mode: "json" }).notNull(),
    /** Concurrency, maximum cost, retries, streaming. */
    settings: text({ mode: "json" }).notNull(),
    /** Number of items at the start. */
    items: integer().notNull(),
    state: text({ enum: ["running", "done", "stopped", "cancelled"] }).notNull(),
    /** Why it stopped; null otherwise. */
    reason: text(),
    created_by: text().notNull(),
    /** `key:<id>` or `user:<id>`: on whose behalf it is sent. */
    sender: text().notNull(),
    created_at: integer().notNull(),
    finished_at: integer(),
  },
  (t) => [
    index("dataset_runs_dataset").on(t.dataset_id, t.id),
    index("dataset_runs_running").on(t.id).where(sql`state = 'running'`),
  ],
);

/** The result of one item at one target. */
export const datasetRunResults = sqliteTable(
  "dataset_run_results",
  {
    run_id: text().notNull(),
    item_id: text().notNull(),
    /** Index in the run's targets, from 0. */
    target: integer().notNull(),
    /** Id of the call's record; the metrics are a copy. */
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
