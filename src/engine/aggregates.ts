import type { GroupBy, TimeBucket } from "../filter/group-by.ts";
import type { Scope } from "../filter/scope.ts";
import type { Deadline } from "../store/database/deadline.ts";
import type { StorageSums } from "../store/sizes/sums.ts";
import type { RecordKey } from "./record-source.ts";

/** What a group is named by; null for records without a value. */
export type Key = string | number | null;

/** Part of a list. */
export interface ListOptions {
  readonly limit: number;
  readonly offset: number;
}

/** Names to sort by, each with its direction. */
export type Order = readonly (readonly [name: string, direction: "asc" | "desc"])[];

export interface MetricsQuery extends GroupBy, ListOptions {
  /** False leaves latencies out: ranking them takes most of the time. */
  readonly latencies?: boolean;
  /** True adds times to the first token, and tokens a second. */
  readonly speeds?: boolean;
  /** Names of scores whose means are shown. */
  readonly scores?: readonly string[];
}

/** What is known of one score in a group of records. All but `count` are null where no record has the score. */
export interface ScoreAggregates {
  /** Records that have it. */
  readonly count: number;
  readonly mean: number | null;
  readonly min: number | null;
  readonly max: number | null;
}

/** A row of metrics, by the names in the API's response. */
export type MetricsRow = Readonly<Record<string, Key | Readonly<Record<string, ScoreAggregates>> | undefined>>;

/** The values of one name with the number of requests that have each; the most frequent first. */
export interface Facet {
  readonly name: string;
  readonly values: readonly { readonly value: Key; readonly requests: number }[];
  /** Whether there are more values than were asked for. */
  readonly more: boolean;
}

export const USER_SORTS = [
  "user_id",
  "requests",
  "cost",
  "prompt_tokens",
  "completion_tokens",
  "total_tokens",
  "errors",
  "refused",
  "first_active",
  "last_active",
];

export const SESSION_SORTS = [
  "session_id",
  "requests",
  "cost",
  "prompt_tokens",
  "completion_tokens",
  "total_tokens",
  "errors",
  "refused",
  "created_at",
  "latest_request_created_at",
];

export interface SessionsQuery {
  /** Names of `SESSION_SORTS`. */
  readonly order: Order;
  readonly page: ListOptions;
  /** Only these sessions. */
  readonly among?: ReadonlySet<Key> | undefined;
}

/** Totals of one user or session, by the names in the API's response. */
export type TotalsRow = Readonly<Record<string, Key | readonly string[] | undefined>>;

/** One score over the records of a scope. */
export interface ListedScore {
  readonly score: string;
  /** Records that have it. */
  readonly requests: number;
  readonly mean: number;
  readonly min: number;
  readonly max: number;
}

export interface PropertyCost {
  readonly value: string;
  /** US dollars; null where no request's cost is known. */
  readonly cost: number | null;
  readonly requests: number;
}

export interface CacheStatistics {
  readonly hits: number;
  /** Requests that asked the cache and went to their provider. */
  readonly misses: number;
  /** US dollars that the repeated answers cost when they were made. */
  readonly saved_cost: number;
  readonly saved_tokens: number;
}

/** What many records add up to. All of it is exact, whatever an engine keeps for it; `query_timeout` after the deadline. */
export interface Aggregates {
  /**
   * Metrics of the records of a scope, by group and time. Latencies are milliseconds; a percentile is the latency that at
   * least so many percent of the group do not exceed, one of those that were measured (nearest rank).
   */
  metrics(scope: Scope, query: MetricsQuery, deadline: Deadline): Promise<readonly MetricsRow[]>;
  /** Counts the requests of a scope by each of some names: cheaper than metrics, which add up tokens and rank latencies. */
  facets(
    scope: Scope,
    asked: { readonly names: readonly string[]; readonly limit: number },
    deadline: Deadline,
  ): Promise<Facet[]>;
  /** The scores that records of a scope have, those of the most records first. */
  scores(scope: Scope, page: ListOptions, deadline: Deadline): Promise<readonly ListedScore[]>;
  /** Totals of each user; the order is names of `USER_SORTS`. */
  users(scope: Scope, order: Order, page: ListOptions, deadline: Deadline): Promise<readonly TotalsRow[]>;
  /** Totals of each session, over the requests of the scope. */
  sessions(scope: Scope, query: SessionsQuery, deadline: Deadline): Promise<readonly TotalsRow[]>;
  /** Ids of the sessions that have a request of the scope. */
  sessionsWith(scope: Scope, deadline: Deadline): Promise<ReadonlySet<Key>>;
  /** Ids of the sessions of some records. */
  sessionsOf(scope: Scope, keys: readonly RecordKey[], deadline: Deadline): Promise<ReadonlySet<Key>>;
  /** Adds what the bodies of each session were on the wire and take in the store; null for sessions of too many records. */
  withSessionBytes(scope: Scope, sessions: readonly TotalsRow[], deadline: Deadline): Promise<readonly TotalsRow[]>;
  /** Values of a property with what their requests cost, dearest first, ties by value. */
  propertyCosts(
    scope: Scope,
    query: ListOptions & { readonly name: string },
    deadline: Deadline,
  ): Promise<PropertyCost[]>;
  /** What the cache did for one organization, over all its records. */
  cacheStatistics(organizationId: string, deadline: Deadline): Promise<CacheStatistics>;
  /** The cache's results for the requests of a scope, by time; buckets without cache requests are omitted. */
  cacheSeries(
    scope: Scope,
    timeBucket: TimeBucket,
    deadline: Deadline,
  ): Promise<readonly (CacheStatistics & { readonly time: string })[]>;
  /** What is stored by day, of all organizations; records in flight are counted without their bytes. */
  storage(deadline: Deadline): Promise<StorageSums>;
  /** Why aggregates over records since `least` take long now; undefined where they do not. */
  saysSlow(least?: number): Promise<string | undefined>;
}
