import { queryOptions } from "@tanstack/react-query";
import { post } from "../api.ts";
import type { FilterNode } from "./filter.ts";
import type { Bucket } from "./range.ts";
import type { MetricsRow } from "./series.ts";

interface MetricsBody {
  readonly filter: FilterNode;
  readonly group_by?: readonly string[];
  readonly time_bucket?: Bucket;
  readonly limit?: number;
}

/** Figures over requests, by group and time. */
export const metricsQuery = (body: MetricsBody) =>
  queryOptions({
    queryKey: ["metrics", body],
    queryFn: ({ signal }) => post<readonly MetricsRow[]>("/v1/metrics/query", body, signal),
  });

export interface CacheRow {
  readonly time: string;
  readonly hits: number;
  readonly misses: number;
  /** US dollars. */
  readonly saved_cost: number;
  readonly saved_tokens: number;
}

export const cacheSeriesQuery = (filter: FilterNode, bucket: Bucket) =>
  queryOptions({
    queryKey: ["cache", "series", filter, bucket],
    queryFn: ({ signal }) =>
      post<readonly CacheRow[]>("/v1/cache/metrics/query", { filter, time_bucket: bucket }, signal),
  });

/** Names of the properties that requests have. */
export const propertyNamesQuery = queryOptions({
  queryKey: ["properties", "names"],
  queryFn: ({ signal }) =>
    post<readonly { readonly property: string }[]>("/v1/property/query", { limit: 2_000 }, signal),
  select: (rows) => rows.map(({ property }) => property),
});
