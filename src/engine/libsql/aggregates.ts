import { storageSums } from "../../store/sizes/sums.ts";
import type { Store } from "../../store/store.ts";
import type { Aggregates } from "../aggregates.ts";
import { cacheSeries, cacheStatistics } from "./aggregates/cache-statistics.ts";
import { facets } from "./aggregates/facets.ts";
import { metrics } from "./aggregates/metrics.ts";
import { propertyCosts } from "./aggregates/property-costs.ts";
import { listScores } from "./aggregates/score-list.ts";
import { withSessionBytes } from "./aggregates/session-bytes.ts";
import { sessions, sessionsOf, sessionsWith } from "./aggregates/sessions.ts";
import { users } from "./aggregates/totals.ts";
import { saysWaiting } from "./column-store/waiting.ts";

/** Aggregates over the records of a libSQL database, computed from blocks when that is faster. */
export function libsqlAggregates({ records }: Pick<Store, "records">): Aggregates {
  return {
    metrics: (scope, query, deadline) => metrics(records, scope, query, deadline),
    facets: (scope, query, deadline) => facets(records, scope, query, deadline),
    scores: (scope, page, deadline) => listScores(records, scope, page, deadline),
    users: (scope, order, page, deadline) => users(records, scope, { order, page }, deadline),
    sessions: (scope, query, deadline) => sessions(records, scope, query, deadline),
    sessionsWith: (scope, deadline) => sessionsWith(records, scope, deadline),
    sessionsOf: (scope, keys, deadline) => sessionsOf(records, scope, keys, deadline),
    withSessionBytes: (scope, rows, deadline) => withSessionBytes(records, scope, rows, deadline),
    propertyCosts: (scope, query, deadline) => propertyCosts(records, scope, query, deadline),
    cacheStatistics: (organizationId, deadline) => cacheStatistics(records, organizationId, deadline),
    cacheSeries: (scope, timeBucket, deadline) => cacheSeries(records, scope, timeBucket, deadline),
    storage: (deadline) => storageSums(records, deadline),
    saysSlow: (least) => saysWaiting({ records }, least),
  };
}
