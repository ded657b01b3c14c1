import type { Aggregates } from "../aggregates.ts";
import { cacheSeries, cacheStatistics } from "./aggregates/cache.ts";
import { facets, scores } from "./aggregates/facets.ts";
import { metrics } from "./aggregates/metrics.ts";
import { propertyCosts } from "./aggregates/property-costs.ts";
import { sessionsOf, sessionsWith, withSessionBytes } from "./aggregates/sessions.ts";
import { storageSums } from "./aggregates/storage.ts";
import { sessions, users } from "./aggregates/totals.ts";
import type { ReaderOptions } from "./records.ts";

/** Aggregates over records in ClickHouse, always computed from the records. */
export function clickhouseAggregates(options: ReaderOptions): Aggregates {
  return {
    metrics: (scope, query, deadline) => metrics(options, scope, query, deadline),
    facets: (scope, query, deadline) => facets(options, scope, query, deadline),
    scores: (scope, page, deadline) => scores(options, scope, page, deadline),
    users: (scope, order, page, deadline) => users(options, scope, { order, page }, deadline),
    sessions: (scope, query, deadline) => sessions(options, scope, query, deadline),
    sessionsWith: (scope, deadline) => sessionsWith(options, scope, deadline),
    sessionsOf: (scope, keys, deadline) => sessionsOf(options, scope, keys, deadline),
    withSessionBytes: (scope, rows, deadline) => withSessionBytes(options, scope, rows, deadline),
    propertyCosts: (scope, query, deadline) => propertyCosts(options, scope, query, deadline),
    cacheStatistics: (organizationId, deadline) => cacheStatistics(options, organizationId, deadline),
    cacheSeries: (scope, timeBucket, deadline) => cacheSeries(options, scope, timeBucket, deadline),
    storage: (deadline) => storageSums(options, deadline),
    saysSlow: async () => undefined,
  };
}
