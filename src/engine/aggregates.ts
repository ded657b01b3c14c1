import type { GroupBy, TimeBucket } from "../filter/group-by.ts";
import type { Scope } from "../filter/scope.ts";
import type { Deadline } from "../store/database/deadline.ts";
import type { StorageSums } from "../store/sizes/sums.ts";
import type { RecordKey } from "./record-source.ts";

/** The name of a group; null for records without a value. */
export type Key = string | number | null;

/** A page of a list. */
export interface ListOptions {
  readonly limit: number;
  readonly offset: number;
}

/** Names to sort by, each with its direction. */
export type Order = readonly (readonly [name: string, direction: "asc" | "desc"])[];

export interface MetricsQuery extends GroupBy, ListOptions {
  /** False leaves out latencies, whose ranking takes most of the time. */
  readonly latencies?: boolean;
  /** True adds times to the first token, and tokens per second. */
  readonly speeds?: boolean;
  /** Names of scores whose aggregates are included. */
  readonly scores?: readonly string[];
}

/** Aggregates of one score in a group of records. All but `count` are null when no record has the score. */
export interface ScoreAggregates {
  /** Number of records that have it. */
  readonly count: number;
  readonly mean: number | null;
  readonly min: number | null;
  readonly max: number | null;
}

/** A row of metrics, by the names in the API's response. */
export type MetricsRow = Readonly<Record<string, Key | Readonly<Record<string, ScoreAggregates>> | undefined>>;

/** The values of one name with the number of requests for each; most frequent first. */
export interface Facet {
  readonly name: string;
  readonly values: readonly { readonly value: Key; readonly requests: number }[];
  /** Whether there are more values than the limit. */
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

/** Aggregates of one score over the records of a scope. */
export interface ListedScore {
  readonly score: string;
  /** Number of records that have it. */
  readonly requests: number;
  readonly mean: number;
  readonly min: number;
  readonly max: number;
}

export interface PropertyCost {
  readonly value: string;
  /** US dollars; null when no request has a known cost. */
  readonly cost: number | null;
  readonly requests: number;
}

export interface CacheStatistics {
  readonly hits: number;
  /** Requests that were looked up in the cache without a hit. */
  readonly misses: number;
  /** US dollars that the repeated responses originally cost. */
  readonly saved_cost: number;
  readonly saved_tokens: number;
}

/** Aggregates over many records. All are exact, however an engine stores them. Calls throw `query_timeout` after the deadline. */
export interface Aggregates {
  /**
   * Metrics of the records of a scope, by group and time. Latencies are milliseconds; a percentile is a measured latency
   * (nearest rank).
   */
  metrics(scope: Scope, query: MetricsQuery, deadline: Deadline): Promise<readonly MetricsRow[]>;
  /** Counts the requests of a scope by each name: cheaper than metrics, which add up tokens and rank latencies. */
  facets(
    scope: Scope,
    query: { readonly names: readonly string[]; readonly limit: number },
    deadline: Deadline,
  ): Promise<Facet[]>;
  /** Scores of the records of a scope, those on the most records first. */
  scores(scope: Scope, page: ListOptions, deadline: Deadline): Promise<readonly ListedScore[]>;
  /** Totals of each user; `order` has names of `USER_SORTS`. */
  users(scope: Scope, order: Order, page: ListOptions, deadline: Deadline): Promise<readonly TotalsRow[]>;
  /** Totals of each session, over the requests of the scope. */
  sessions(scope: Scope, query: SessionsQuery, deadline: Deadline): Promise<readonly TotalsRow[]>;
  /** Ids of sessions with a request in the scope. */
  sessionsWith(scope: Scope, deadline: Deadline): Promise<ReadonlySet<Key>>;
  /** Ids of the sessions of these records. */
  sessionsOf(scope: Scope, keys: readonly RecordKey[], deadline: Deadline): Promise<ReadonlySet<Key>>;
  /** Adds the bytes of each session's bodies, on the wire and stored; null for sessions of too many records. */
  withSessionBytes(scope: Scope, sessions: readonly TotalsRow[], deadline: Deadline): Promise<readonly TotalsRow[]>;
  /** Values of a property with the cost of their requests, most expensive first, ties by value. */
  propertyCosts(
    scope: Scope,
    query: ListOptions & { readonly name: string },
    deadline: Deadline,
  ): Promise<PropertyCost[]>;
  /** Cache statistics of one organization over all its records. */
  cacheStatistics(organizationId: string, deadline: Deadline): Promise<CacheStatistics>;
  /** Cache results of the requests of a scope by time; buckets without cache requests are omitted. */
  cacheSeries(
    scope: Scope,
    timeBucket: TimeBucket,
    deadline: Deadline,
  ): Promise<readonly (CacheStatistics & { readonly time: string })[]>;
  /** Stored records and bytes by day, for all organizations; records in flight count without bytes. */
  storage(deadline: Deadline): Promise<StorageSums>;
  /** Why aggregates over records since `least` are slow now; undefined when they are not. */
  saysSlow(least?: number): Promise<string | undefined>;
}
