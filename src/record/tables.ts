/**
 * The tables, as the migrations in `store/migrations/` create them. Times are milliseconds since 1970, booleans 0 or 1.
 *
 * `requests` and the tables that refer to it by `seq` are in `weir.db`. Bodies, blobs and assets are in `bodies.db`; for a
 * local database it is a separate file, because the two are written, kept and deleted at very different rates.
 */
export * from "./tables/alerts.ts";
export * from "./tables/audit.ts";
export * from "./tables/blocks.ts";
export * from "./tables/bodies.ts";
export * from "./tables/call-states.ts";
export * from "./tables/dashboards.ts";
export * from "./tables/datasets.ts";
export * from "./tables/deployment.ts";
export * from "./tables/judges.ts";
export * from "./tables/models.ts";
export * from "./tables/nodes.ts";
export * from "./tables/notes.ts";
export * from "./tables/people.ts";
export * from "./tables/requests.ts";
export * from "./tables/retention.ts";
export * from "./tables/reviews.ts";
export * from "./tables/saved-views.ts";
export * from "./tables/spans.ts";
