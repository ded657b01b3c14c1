import { queryOptions } from "@tanstack/react-query";
import type { CacheStatistics } from "../../engine/aggregates.ts";
import { post } from "../api.ts";
import type { FilterTree } from "../filter/tree.ts";
import type { Bucket } from "./range.ts";
import type { MetricsRow } from "./series.ts";

interface MetricsBody {
  readonly filter: FilterTree;
  readonly group_by?: readonly string[];
  readonly time_bucket?: Bucket;
  readonly limit?: number;
  readonly speeds?: boolean;
  /** If false, rows have no latencies, and the query takes a fraction of the time. */
  readonly latencies?: boolean;
  /** Names of scores whose means are requested. */
  readonly scores?: readonly string[];
}

/** The previous response stays while the same question is asked for a later span; for another question it would be wrong. */
const kept =
  (question: string) =>
  <T>(previous: T | undefined, query: { readonly queryKey: readonly unknown[] } | undefined) =>
    question !== "" && query?.queryKey[1] === question ? previous : undefined;

/**
 * Metrics over requests, by group and time.
 *
 * @param question - the same for all consecutive spans of a moving range.
 */
export const metricsQuery = (body: MetricsBody, question = "") =>
  queryOptions({
    queryKey: ["metrics", question, body],
    queryFn: ({ signal }) => post<readonly MetricsRow[]>("/v1/metrics/query", body, signal),
    placeholderData: kept(question),
  });

export interface CacheRow extends CacheStatistics {
  readonly time: string;
}

export const cacheSeriesQuery = (filter: FilterTree, bucket: Bucket, question = "") =>
  queryOptions({
    queryKey: ["cache", question, "series", filter, bucket],
    queryFn: ({ signal }) =>
      post<readonly CacheRow[]>("/v1/cache/metrics/query", { filter, time_bucket: bucket }, signal),
    placeholderData: kept(question),
  });
