/**
 * The tables, as the migrations in `store/migrations/` make them. Times are milliseconds since 1970, booleans 0 or 1.
 *
 * `requests` and what points into it by `seq` live in `weir.db`; bodies, blobs and assets in `bodies.db` beside it when
 * the database is a local file, because the two are written, kept and deleted at very different rates.
 */
export * from "./tables/alerts.ts";
export * from "./tables/answers.ts";
export * from "./tables/audit.ts";
export * from "./tables/blocks.ts";
export * from "./tables/bodies.ts";
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
